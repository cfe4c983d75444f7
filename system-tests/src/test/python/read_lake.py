"""Reads lake tables through the Iceberg REST catalog with pyiceberg, for a test to compare.

    python read_lake.py CATALOG_URI NAMESPACE TABLE...

One line a table: its name, its rows, and the CRC-32 of the rows' values ordered by bucket and
offset, the system columns included (integers as 8 bytes little-endian, texts as UTF-8, NULL as
one zero byte, times as microseconds since the epoch).
"""

import datetime
import struct
import sys
import zlib

from pyiceberg.catalog import load_catalog

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def encoded(value):
    if value is None:
        return b"\0"
    if isinstance(value, datetime.datetime):
        value = (value - EPOCH) // datetime.timedelta(microseconds=1)
    return struct.pack("<q", value) if isinstance(value, int) else value.encode()


def main():
    uri, namespace, *tables = sys.argv[1:]
    catalog = load_catalog("sluice", type="rest", uri=uri)
    for name in tables:
        rows = catalog.load_table((namespace, name)).scan().to_arrow()
        rows = rows.sort_by([("__bucket", "ascending"), ("__offset", "ascending")])
        crc = 0
        for row in zip(*(column.to_pylist() for column in rows.columns)):
            for value in row:
                crc = zlib.crc32(encoded(value), crc)
        print(name, rows.num_rows, f"{crc:08x}", flush=True)


if __name__ == "__main__":
    main()
