# The records of a checkpoint. docs/format/checkpoint.md says under which keys they stand, what is
# checked, and what a reader does with what it does not know.
#
# Never change the number or the type of a field, and never use a number twice: add fields at the
# end. A change that an older Braid would read wrongly needs a new format version.
@0xc43845e0ec6a90fc;

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("braid::format");

struct Identity {
  formatVersion @0 :UInt32;  # Stays first for ever.
  queryId @1 :Text;
  fingerprint @2 :Text;
  sides @3 :List(Side);
  earlier @4 :List(Layout);  # How rows were stored before, oldest first.
  formerOutputs @5 :List(Output);  # Where the query wrote to before.

  struct Output {
    path @0 :Text;  # From the root on.
    table @1 :Text;
    lastBatch @2 :Int64;  # Later batches are not there.
  }

  # Which payload columns of a layout those of the next one were.
  struct Layout {
    sides @0 :List(Side);
    kept @1 :List(List(UInt16));  # One list a side, one number a column of the next layout.
  }

  struct Side {
    name @0 :Text;
    hashedKey @1 :Bool;
    hasTime @2 :Bool;
    payload @3 :List(Field);
    key @4 :Field;   # What the word is, of sides whose keys are not hashed.
    time @5 :Field;  # What the time is, of sides that have one.
  }

  struct Field {
    name @0 :Text;
    kind @1 :UInt8;  # TypeKind of include/braid/data_type.h.
    precision @2 :UInt8;
    scale @3 :UInt8;
    length @4 :UInt32;
  }
}

# A moment that may be absent: then the pointer is null. The field's name has the unit.
struct Moment {
  value @0 :Int64;
}

struct Plan {
  batchId @0 :Int64;
  noData @1 :Bool;
  flush @2 :Bool;
  watermarkMillis @3 :Moment;
  lateWatermarkMillis @4 :Moment;
  processingTimeMicros @5 :Int64;
  sources @6 :List(Source);
  extension @7 :Data;  # Of the mode that runs the query; empty in micro-batch mode.

  struct Source {
    table @0 :Text;
    start @1 :Data;
    end @2 :Data;
    replay @3 :Data;
  }
}

struct Commit {
  batchId @0 :Int64;
  noData @1 :Bool;
  finished @2 :Bool;
  watermarkMillis @3 :Moment;
  nextWatermarkMillis @4 :Moment;
  leftThresholdMicros @5 :Moment;
  rightThresholdMicros @6 :Moment;
  leftRows @7 :Int64;
  rightRows @8 :Int64;
  tables @9 :List(Table);
  sourceEnds @10 :List(SourceEnd);
  nextLineage @11 :UInt32;
  digest @12 :UInt64;  # Sum of the checksums of all other commits, chunk heads and change lists.
  moreSides @13 :List(Side);  # Of the joins after the first one: left, right, left, right, ...
  extension @14 :Data;        # Of the mode that runs the query; empty in micro-batch mode.
  rolledBack @15 :Bool;       # The store was rolled back to it, and nothing was committed since.

  struct Side {
    thresholdMicros @0 :Moment;
    rows @1 :Int64;
  }

  struct Table {
    name @0 :Text;
    maxTimeMicros @1 :Moment;
    watermarkMillis @2 :Moment;
    reachedMicros @3 :Moment;  # Where reading stands in event time.
  }

  struct SourceEnd {
    table @0 :Text;
    end @1 :Data;
  }
}

# Integers minus the smallest, divided by a unit, in `width` bytes each, little-endian.
struct PackedIntegers {
  minimum @0 :Int64;
  unit @1 :UInt32 = 1;
  width @2 :UInt8;
  data @3 :Data;
}

struct PackedColumn {
  kind @0 :UInt8;              # TypeKind; a check.
  validity @1 :Data;           # A bit a row, 1 = valid; empty: nothing is NULL.
  values @2 :PackedIntegers;   # Strings: their lengths.
  bytes @3 :Data;              # Strings: their bytes, one after the other.
  decimals @4 :UInt8;          # DOUBLE: if n > 0, values are integers to be divided by 10^(n - 1).
}

# What must be known of a chunk without reading it.
struct ChunkHead {
  version @0 :Int64;       # Versions from here on have its rows.
  folded @1 :Bool;         # Changes up to `version` are worked into the rows.
  ids @2 :Data;            # Runs of persistent ids, one a row.
  nullTimes @3 :UInt32;    # Rows without a time.
  minTimeMicros @4 :Int64; # Of the rows that have one.
  maxTimeMicros @5 :Int64;
  earlyTimeMicros @6 :Int64;   # An eighth of the rows, and half of them, are about as early or
  middleTimeMicros @7 :Int64;  # earlier; NULL counts as late.
  chunkBytes @8 :UInt32;
  chunkChecksum @9 :UInt64;
  layout @10 :UInt32;      # Which layout: of n earlier ones, or n for the identity's `sides`.
}

struct Chunk {
  rows @0 :UInt32;
  words @1 :PackedIntegers;
  linkable @2 :Data;           # A bit a row; empty: all are.
  times @3 :PackedColumn;      # Null: the side has no time.
  payload @4 :List(PackedColumn);
  matched @5 :Data;            # A bit a row; empty: none.
}

# One kind of change of one version of one side.
struct ChangeList {
  ids @0 :Data;                # Matched, removed, counts: runs of persistent ids.
  counts @1 :PackedIntegers;   # Counts: one an id.
  timers @2 :Timers;           # Timers: null otherwise.

  struct Timers {
    words @0 :PackedIntegers;
    keyLengths @1 :PackedIntegers;
    keyBytes @2 :Data;
    set @3 :Data;              # A bit a timer, 0 = deleted; empty: all are set.
    timesMillis @4 :PackedIntegers;
  }
}
