"""Puts rows into primary-key tables through pyarrow.flight, whatever their columns are.

    python put_rows.py ADDRESS DATABASE TABLE JSON [TABLE JSON]...

JSON is a list of uploads, in order. Each is an object of columns with their values; under "targets"
it may name the target columns of a partial update. A value {"rbm32": [...]} or {"rbm64": [...]} is
the set of these numbers in the portable RoaringBitmap format, built here by hand. Prints a line for
each upload: "stored", or what refused it.
"""

import json
import struct
import sys

import pyarrow as pa
import pyarrow.flight as flight


def portable32(numbers):
    parts = {}
    for number in sorted(set(numbers)):
        parts.setdefault(number >> 16, []).append(number & 0xFFFF)
    header = struct.pack("<II", 12346, len(parts))
    for key, lows in parts.items():
        header += struct.pack("<HH", key, len(lows) - 1)
    offset = len(header) + 4 * len(parts)
    body = b""
    for lows in parts.values():
        header += struct.pack("<I", offset + len(body))
        body += struct.pack(f"<{len(lows)}H", *lows)
    return header + body


def portable64(numbers):
    parts = {}
    for number in sorted(set(numbers)):
        parts.setdefault(number >> 32, []).append(number & 0xFFFFFFFF)
    maps = (struct.pack("<I", upper) + portable32(lows) for upper, lows in parts.items())
    return struct.pack("<Q", len(parts)) + b"".join(maps)


def value(given):
    if isinstance(given, dict):
        return portable32(given["rbm32"]) if "rbm32" in given else portable64(given["rbm64"])
    return given


def put(client, database, table, upload):
    targets = upload.pop("targets", None)
    path = flight.FlightDescriptor.for_path(database, table)
    schema = client.get_schema(path).schema
    fields = [
        pa.field(name, pa.string() if name == "_op" else schema.field(name).type)
        for name in upload
    ]
    columns = [pa.array([value(v) for v in upload[f.name]], f.type) for f in fields]
    batch = pa.record_batch(columns, schema=pa.schema(fields))
    if targets is not None:
        stock = {"database": database, "table": table, "targetColumns": targets}
        path = flight.FlightDescriptor.for_command(json.dumps({"stockPut": stock}).encode())
    writer, answers = client.do_put(path, batch.schema)
    try:
        writer.write_batch(batch)
        writer.done_writing()
        while answers.read() is not None:
            pass
    finally:
        writer.close()


def main():
    address, database, *rest = sys.argv[1:]
    client = flight.connect(address)
    for table, uploads in zip(rest[::2], rest[1::2]):
        for upload in json.loads(uploads):
            try:
                put(client, database, table, upload)
                print("stored", flush=True)
            except (flight.FlightError, pa.ArrowException) as e:
                print(str(e).replace("\n", " "), flush=True)


if __name__ == "__main__":
    main()
