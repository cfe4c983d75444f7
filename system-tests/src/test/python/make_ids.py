"""Looks keys up in a table with an auto-increment column, making the rows that are missing.

    python make_ids.py ADDRESS DATABASE TABLE FIRST LAST

Keys are key_FIRST to key_LAST, in batches of one exchange. Prints a line for each: key and id.
"""

import json
import sys

import pyarrow as pa
import pyarrow.flight as flight

BATCH = 50


def main():
    address, database, table, first, last = sys.argv[1:]
    lookup = {"database": database, "table": table, "columns": ["id"], "insertIfAbsent": True}
    descriptor = flight.FlightDescriptor.for_command(json.dumps({"lookup": lookup}).encode())
    schema = pa.schema([pa.field("name", pa.string(), nullable=False)])
    keys = [f"key_{i}" for i in range(int(first), int(last) + 1)]
    writer, reader = flight.connect(address).do_exchange(descriptor)
    with writer:
        writer.begin(schema)
        for start in range(0, len(keys), BATCH):
            batch = keys[start : start + BATCH]
            writer.write_batch(pa.record_batch([pa.array(batch)], schema=schema))
            ids = reader.read_chunk().data.column("id").to_pylist()
            for key, number in zip(batch, ids, strict=True):
                print(key, number)
        writer.done_writing()


if __name__ == "__main__":
    main()
