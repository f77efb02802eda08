"""Records what Flink and Spark give for the expressions of the tables in this folder.

    python3 -m venv flink && flink/bin/pip install 'setuptools<81' apache-flink==2.3.0
    python3 -m venv spark && spark/bin/pip install pyspark==4.3.0
    flink/bin/python record.py flink *.json
    spark/bin/python record.py spark *.json

Both need Java 17. The fields "flink" and "spark" of each row are written anew: "=" where the system
gives the row's type and value, else what it gives ("INT 5"), "refused" or "error". Rows that are "by
hand" are not run. Everything else is written by people; README.md tells what it means.
"""

import datetime
import decimal
import json
import math
import re
import sys


def is_floating(type_name):
    return type_name in ("FLOAT", "DOUBLE")


def plain_type(type_name):
    """A type's name as Braid has it."""
    name = re.sub(r"\s*NOT NULL$", "", type_name.upper())
    name = re.sub(r"^(CHAR|VARCHAR)\b.*$", "STRING", name)
    name = re.sub(r"^(BINARY|VARBINARY)\b.*$", "BYTES", name)
    name = re.sub(r"^TIMESTAMP\((\d)\) WITH LOCAL TIME ZONE.*$", r"TIMESTAMP_LTZ(\1)", name)
    return re.sub(r", *", ", ", name)


def time_text(text, type_name):
    """A time of Java or Python ("2024-01-01T10:00", "…Z") with the digits of its type."""
    text = text.replace("T", " ").rstrip("Z")
    if len(text.split(" ")[-1]) == 5:
        text += ":00"
    seconds, _, fraction = text.partition(".")
    digits = re.search(r"\((\d)\)", type_name)
    count = int(digits.group(1)) if digits else 6
    if fraction[count:].strip("0"):
        count = len(fraction)
    text = seconds + ("." + fraction.ljust(count, "0")[:count] if count else "")
    return text + ("Z" if type_name.startswith("TIMESTAMP_LTZ") else "")


def value_text(value, type_name):
    """A value as the tables write it; None for NULL."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, float):
        if math.isnan(value):
            return "NaN"
        if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        return repr(value)
    if isinstance(value, (bytes, bytearray)):
        return "0x" + bytes(value).hex()
    if type_name.startswith("TIMESTAMP"):
        return time_text(str(value), type_name)
    return str(value)


def same_value(row, type_name, value):
    if value is None or row["value"] is None:
        return value is None and row["value"] is None
    if is_floating(type_name) and is_floating(row["type"]):
        wanted, got = float(row["value"]), float(value)
        return math.isclose(wanted, got, rel_tol=1e-14) or (math.isnan(wanted) and math.isnan(got))
    return row["value"] == value


def verdict(row, outcome):
    """What a row says of a system's outcome."""
    if isinstance(outcome, str):
        return "=" if "error" in row else outcome
    type_name, value = outcome
    if "error" not in row and type_name == plain_type(row["type"]):
        if same_value(row, type_name, value):
            return "="
    return f"{type_name} {'NULL' if value is None else value}"


def short(time):
    """A time without the zeros at the end of its fraction."""
    if time is None or "." not in time:
        return time
    zone = "Z" if time.endswith("Z") else ""
    return time.rstrip("Z").rstrip("0").rstrip(".") + zone


class Flink:
    """Runs many expressions in one query, since each query starts a cluster."""

    def __init__(self):
        from pyflink.table import EnvironmentSettings, TableEnvironment

        self.batch = 60
        self.tables = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
        self.tables.get_config().set("parallelism.default", "1")
        self.java = self.tables._j_tenv

    def set_zone(self, zone):
        self.tables.get_config().set("table.local-time-zone", zone)

    def translated(self, expression):
        """The one function that Flink spells in another way."""
        return expression.replace("REGEXP_LIKE(", "REGEXP(")

    def accepts(self, expression):
        # Makes the plan too, in which constants are evaluated.
        return self.tables.explain_sql("SELECT " + self.translated(expression))

    def run(self, expressions):
        columns = [
            f"{self.translated(sql)} AS c{index}" for index, sql in enumerate(expressions)
        ]
        table = self.java.sqlQuery("SELECT " + ", ".join(columns))
        types = table.getResolvedSchema().getColumnDataTypes()
        rows = table.execute().collect()
        row = rows.next()
        outcomes = []
        for index in range(len(expressions)):
            type_name = plain_type(types.get(index).toString())
            value = row.getField(index)
            if hasattr(value, "toString"):
                value = value.toString()
            outcomes.append((type_name, value_text(value, type_name)))
        rows.close()
        return outcomes

    def verdict(self, row, outcome):
        return verdict(row, outcome)


class Spark:
    """Runs one expression after the other."""

    def __init__(self):
        self.batch = 1
        from pyspark.sql import SparkSession

        self.session = (
            SparkSession.builder.master("local[1]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "1")
            .config("spark.sql.timestampType", "TIMESTAMP_NTZ")
            .getOrCreate()
        )
        self.session.sparkContext.setLogLevel("OFF")

    def set_zone(self, zone):
        self.session.conf.set("spark.sql.session.timeZone", zone)

    def translated(self, expression):
        """The few things that Spark spells in another way."""
        text = re.sub(r"TIMESTAMP\(\d\)", "TIMESTAMP_NTZ", expression)
        text = re.sub(r"TIMESTAMP_LTZ\(\d\)", "TIMESTAMP_LTZ", text)
        text = text.replace("AS BYTES)", "AS BINARY)").replace("SHA256(", "SHA2(256, ")
        text = re.sub(r"SHA2\(256, (.*)\)$", r"SHA2(\1, 256)", text)
        text = re.sub(r"TO_TIMESTAMP_LTZ\((.*?), 3\)", r"TIMESTAMP_MILLIS(\1)", text)
        text = re.sub(r"TO_TIMESTAMP_LTZ\((.*?), 0\)", r"TIMESTAMP_SECONDS(\1)", text)
        return re.sub(r"'(?:[^']|'')*'", self.translated_text, text)

    def translated_text(self, match):
        inner = match.group(0)[1:-1].replace("\\", "\\\\").replace("''", "\\'")
        return "'" + inner + "'"

    def accepts(self, expression):
        return self.session.sql("SELECT " + self.translated(expression)).schema

    def run(self, expressions):
        return [self.value_of(expression) for expression in expressions]

    def value_of(self, expression):
        sql = self.translated(expression)
        frame = self.session.sql(f"SELECT {sql} AS c")
        name = frame.schema[0].dataType.simpleString().upper()
        name = {"TIMESTAMP": "TIMESTAMP_LTZ(6)", "TIMESTAMP_NTZ": "TIMESTAMP(6)"}.get(name, name)
        name = {"BINARY": "BYTES"}.get(name, name).replace(",", ", ")
        if name == "TIMESTAMP_LTZ(6)":
            sql = f"FROM_UNIXTIME(0) IS NULL, UNIX_MICROS({sql})"
            micros = self.session.sql("SELECT " + sql).collect()[0][1]
            if micros is None:
                return name, None
            moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=micros)
            return name, time_text(str(moment), name)
        if name == "TIMESTAMP(6)":
            frame = frame.selectExpr("CAST(c AS STRING)")
        return name, value_text(frame.collect()[0][0], name)

    def verdict(self, row, outcome):
        """Spark's times have six digits, however few their zeros are worth."""
        if isinstance(outcome, tuple) and outcome[0].startswith("TIMESTAMP"):
            same_kind = outcome[0].split("(")[0] == row.get("type", "").split("(")[0]
            if same_kind and "error" not in row and short(outcome[1]) == short(row["value"]):
                return "="
        return verdict(row, outcome)


def outcome_of(system, expression):
    """"refused", "error", or nothing if it may be run with others."""
    try:
        system.accepts(expression)
        return None
    except Exception as error:  # Whatever the system throws.
        return failure(error)


def failure(error):
    text = type(error).__name__ + " " + str(error)
    names = r"ValidationException|SqlParserException|AnalysisException|ParseException"
    refused = re.search(names, text)
    return "refused" if refused else "error"


def run_all(system, expressions):
    """The outcomes; what fails together is cut in halves."""
    try:
        return system.run(expressions)
    except Exception as error:
        if len(expressions) == 1:
            return [failure(error)]
        middle = len(expressions) // 2
        return run_all(system, expressions[:middle]) + run_all(system, expressions[middle:])


def outcomes_of(system, expressions):
    outcomes = {sql: outcome_of(system, sql) for sql in expressions}
    runnable = [sql for sql in expressions if outcomes[sql] is None]
    for begin in range(0, len(runnable), system.batch):
        part = runnable[begin : begin + system.batch]
        outcomes.update(zip(part, run_all(system, part)))
    return outcomes


def write_table(path, table):
    """One row a line."""
    dump = lambda value: json.dumps(value, ensure_ascii=False)
    groups = []
    for name, rows in table.items():
        lines = ",\n".join("    " + dump(row) for row in rows)
        groups.append(f"  {dump(name)}: [\n{lines}\n  ]")
    with open(path, "w", encoding="utf-8") as file:
        file.write("{\n" + ",\n".join(groups) + "\n}\n")


def record(system_name, paths):
    system = Flink() if system_name == "flink" else Spark()
    tables = {path: json.load(open(path, encoding="utf-8")) for path in paths}
    rows = [row for table in tables.values() for group in table.values() for row in group]
    rows = [row for row in rows if not row.get("by hand")]
    for zone in sorted({row.get("zone", "UTC") for row in rows}):
        system.set_zone(zone)
        here = [row for row in rows if row.get("zone", "UTC") == zone]
        outcomes = outcomes_of(system, list(dict.fromkeys(row["sql"] for row in here)))
        for row in here:
            row[system_name] = system.verdict(row, outcomes[row["sql"]])
    for path, table in tables.items():
        write_table(path, table)


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("flink", "spark"):
        sys.exit(__doc__)
    record(sys.argv[1], sys.argv[2:])
