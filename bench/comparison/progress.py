"""What `--progress json` tells of each batch."""
import json
import math


def batches(output):
    """The progress of each batch, oldest first."""
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


def state_rows_max(progress):
    return max(batch["stateOperators"][0]["numRowsTotal"] for batch in progress)


def state_bytes_a_row(progress):
    """Bytes of memory a row of state, when most rows are in it."""
    fullest = max((batch["stateOperators"][0] for batch in progress),
                  key=lambda state: state["numRowsTotal"])
    return fullest["memoryUsedBytes"] / max(fullest["numRowsTotal"], 1)


def percentile(values, percent):
    """The value that so many percent of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(math.ceil(len(ordered) * percent / 100) - 1, 0)]
