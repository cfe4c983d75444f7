"""Reads tables through pyarrow.flight and uploads what was read into their copies.

    python copy_table.py ADDRESS DATABASE TABLE...

The rows of each TABLE go to the existing TABLE_copy, batch by batch as they were read.
"""

import json
import sys

import pyarrow.flight as flight


def batches(client, database, table):
    """Schema and record batches of every endpoint of a scan, each with its values checked."""
    command = {"scan": {"database": database, "table": table}}
    descriptor = flight.FlightDescriptor.for_command(json.dumps(command).encode())
    for endpoint in client.get_flight_info(descriptor).endpoints:
        leader = flight.connect(endpoint.locations[0])
        for chunk in leader.do_get(endpoint.ticket):
            chunk.data.validate(full=True)
            yield chunk.data
        leader.close()


def copy(client, database, table):
    source = list(batches(client, database, table))
    target = flight.FlightDescriptor.for_path(database, table + "_copy")
    writer, answers = client.do_put(target, source[0].schema)
    for batch in source:
        writer.write_batch(batch)
    writer.done_writing()
    while answers.read() is not None:
        pass
    writer.close()


def main():
    address, database, *tables = sys.argv[1:]
    client = flight.connect(address)
    for table in tables:
        copy(client, database, table)


if __name__ == "__main__":
    main()
