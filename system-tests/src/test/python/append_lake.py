"""Appends to a lake table that nobody manages, with pyiceberg, as one of several writers.

    python append_lake.py CATALOG_URI NAMESPACE TABLE WRITER COMMITS ROWS

Makes the table when it is missing. Each commit appends ROWS rows; one that loses against another
writer is tried again on the newest state. Prints the number of commits reported as successful, and
of those that lost.
"""

import sys

import pyarrow as pa
from pyiceberg.catalog import load_catalog
from pyiceberg.exceptions import (
    CommitFailedException,
    NamespaceAlreadyExistsError,
    TableAlreadyExistsError,
)

SCHEMA = pa.schema([pa.field("writer", pa.int32()), pa.field("commit", pa.int32())])


def open_table(catalog, namespace, name):
    try:
        catalog.create_namespace(namespace)
    except NamespaceAlreadyExistsError:
        pass
    try:
        return catalog.create_table((namespace, name), schema=SCHEMA)
    except TableAlreadyExistsError:
        return catalog.load_table((namespace, name))


def main():
    uri, namespace, name = sys.argv[1:4]
    writer, commits, rows = map(int, sys.argv[4:7])
    table = open_table(load_catalog("sluice", type="rest", uri=uri), namespace, name)
    done = lost = 0
    while done < commits:
        batch = pa.table([[writer] * rows, [done] * rows], schema=SCHEMA)
        try:
            table.append(batch)
            done += 1
        except CommitFailedException:
            lost += 1
            table.refresh()
    print(done, lost, flush=True)


if __name__ == "__main__":
    main()
