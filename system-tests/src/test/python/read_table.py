"""Reads tables through pyarrow.flight and prints what was found, for a test to compare.

    python read_table.py ADDRESS DATABASE TABLE...

One line a table: its name, the rows counted by a scan without columns, the rows of a scan of all
columns, and the CRC-32 of those rows' values in scan order (integers as 8 bytes little-endian,
texts as UTF-8).
"""

import json
import struct
import sys
import zlib

import pyarrow.flight as flight


def scan(client, database, table, **options):
    """Every endpoint of a scan, as record batches."""
    command = {"scan": {"database": database, "table": table, **options}}
    descriptor = flight.FlightDescriptor.for_command(json.dumps(command).encode())
    for endpoint in client.get_flight_info(descriptor).endpoints:
        leader = flight.connect(endpoint.locations[0])
        for chunk in leader.do_get(endpoint.ticket):
            yield chunk.data
        leader.close()


def encoded(value):
    if isinstance(value, int):
        return struct.pack("<q", value)
    return value.encode() if isinstance(value, str) else value


def main():
    address, database, *tables = sys.argv[1:]
    client = flight.connect(address)
    for table in tables:
        counted = sum(b.num_rows for b in scan(client, database, table, noColumns=True))
        rows = crc = 0
        for batch in scan(client, database, table):
            rows += batch.num_rows
            for row in zip(*(column.to_pylist() for column in batch.columns)):
                for value in row:
                    crc = zlib.crc32(encoded(value), crc)
        print(table, counted, rows, f"{crc:08x}", flush=True)


if __name__ == "__main__":
    main()
