#!/usr/bin/env python3
"""Sluice through a stock Arrow Flight client: pyarrow and nothing else.

    python quickstart.py grpc://127.0.0.1:9223            # shows each step
    python quickstart.py grpc://127.0.0.1:9223 --check    # also asserts what each step returned

The address is that of any tablet server. Everything that is not plain Arrow (tickets, commands,
action bodies) is JSON of the messages in sluice/flight/v1/flight.proto and
sluice/metadata/v1/metadata.proto, so no generated code is needed.

Exit code 0 when every step worked, 1 when a step failed or, with --check, returned something else
than expected, 2 for a wrong command line.
"""

import argparse
import json
import sys
import threading
import time
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.flight as flight

DATABASE = "examples"
TABLE = "python_quickstart"
PATH = flight.FlightDescriptor.for_path(DATABASE, TABLE)
KEYED_TABLE = "python_airports"
KEYED_PATH = flight.FlightDescriptor.for_path(DATABASE, KEYED_TABLE)
BUCKETS = 2
FOLLOW_SECONDS = 30

SCHEMA = pa.schema(
    [
        pa.field("id", pa.int64(), nullable=False),
        pa.field("city", pa.string()),
        pa.field("temperature", pa.float64()),
    ]
)


class Mismatch(Exception):
    """A step returned something else than expected."""


@dataclass
class Session:
    """The client, the address it uses, and whether results are asserted."""

    client: flight.FlightClient
    address: str
    check: bool
    others: dict = field(default_factory=dict)

    def at(self, endpoint):
        """The client for an endpoint: buckets may be led by another server than the one we know."""
        if not endpoint.locations:
            return self.client
        uri = endpoint.locations[0].uri.decode().replace("grpc+tcp://", "grpc://")
        if uri == self.address or uri.startswith("arrow-flight-reuse-connection"):
            return self.client
        if uri not in self.others:
            self.others[uri] = flight.connect(uri)
        return self.others[uri]

    def expect(self, what, found, expected):
        if self.check and found != expected:
            raise Mismatch(f"{what}: found {found!r}, expected {expected!r}")

    def close(self):
        for client in [self.client, *self.others.values()]:
            client.close()


def step(title):
    print(f"\n{title}", flush=True)


def say(text):
    print(f"   {text}", flush=True)


def action(client, name, body):
    """Runs an action with a JSON body and returns its JSON answer."""
    results = client.do_action(flight.Action(name, json.dumps(body).encode()))
    answers = [json.loads(result.body.to_pybytes() or b"{}") for result in results]
    return answers[0] if answers else {}


def rows(first, count):
    """Rows numbered from `first`."""
    ids = range(first, first + count)
    return pa.table(
        {
            "id": list(ids),
            "city": [("Lima", "Oslo", "Pune")[i % 3] for i in ids],
            "temperature": [i / 4 for i in ids],
        },
        schema=SCHEMA,
    )


def create_table(session):
    step("Create a table (DoAction)")
    action(session.client, "create-database", {"name": DATABASE, "ignoreIfExists": True})
    action(
        session.client,
        "drop-table",
        {"database": DATABASE, "table": TABLE, "ignoreIfMissing": True},
    )
    info = action(
        session.client,
        "create-table",
        {
            "database": DATABASE,
            "table": TABLE,
            "columns": [
                {"name": "id", "type": "BIGINT", "notNull": True},
                {"name": "city", "type": "STRING"},
                {"name": "temperature", "type": "DOUBLE"},
            ],
            "options": {"bucket.num": str(BUCKETS)},
        },
    )
    say(f"{DATABASE}.{TABLE} with {info.get('bucketCount')} buckets")
    session.expect("buckets of the new table", info.get("bucketCount"), BUCKETS)


def list_tables(session):
    step("List tables (ListFlights)")
    paths = []
    for info in session.client.list_flights():
        paths.append(tuple(part.decode() for part in info.descriptor.path))
        say(f"{'.'.join(paths[-1])}: {', '.join(info.schema.names)}")
    session.expect("the table is listed", (DATABASE, TABLE) in paths, True)


def append(session, count):
    step("Append rows (DoPut with a path)")
    writer, answers = session.client.do_put(PATH, SCHEMA)
    writer.write_table(rows(0, count))
    writer.done_writing()
    while answers.read() is not None:
        pass
    writer.close()
    say(f"{count} rows, routed to buckets by the server")


def read_all(session, descriptor):
    """Every endpoint of a scan, one after another, as one table."""
    info = session.client.get_flight_info(descriptor)
    parts = [
        session.at(endpoint).do_get(endpoint.ticket).read_all() for endpoint in info.endpoints
    ]
    return pa.concat_tables(parts) if parts else info.schema.empty_table()


def scan_two_columns(session, count):
    step("Scan two columns (GetFlightInfo with a command, DoGet for each endpoint)")
    scan = {"scan": {"database": DATABASE, "table": TABLE, "columns": ["city", "temperature"]}}
    table = read_all(session, flight.FlightDescriptor.for_command(json.dumps(scan).encode()))
    say(f"{table.num_rows} rows, columns {', '.join(table.column_names)}")
    session.expect("columns", table.column_names, ["city", "temperature"])
    session.expect("rows", table.num_rows, count)
    total = sum(table.column("temperature").to_pylist())
    session.expect("sum of temperature", total, sum(i / 4 for i in range(count)))


def list_offsets(session, count):
    step("List offsets (DoAction)")
    # Each server answers for the buckets that it leads.
    endpoints = session.client.get_flight_info(PATH).endpoints
    visible = {}
    for leader in {session.at(endpoint) for endpoint in endpoints}:
        answer = action(leader, "list-offsets", {"database": DATABASE, "table": TABLE})
        for bucket in answer.get("buckets", []):
            # Fields that are 0 are left out of the JSON, and 64-bit numbers are text in it.
            visible[bucket.get("bucket", 0)] = int(bucket.get("visible", 0))
    for bucket, end in sorted(visible.items()):
        say(f"bucket {bucket}: {end} rows")
    session.expect("rows in all buckets", sum(visible.values()), count)
    return visible


def follow(session, first, count, start):
    """Opens a scan without an end, appends rows, and reads until they have arrived."""
    step("Follow the table while rows are appended (DoGet without an end)")
    received = []
    failure = []
    readers = []
    opened = threading.Barrier(len(start) + 1)
    lock = threading.Lock()
    enough = threading.Event()

    def read(endpoint):
        try:
            reader = session.at(endpoint).do_get(endpoint.ticket)
            with lock:
                readers.append(reader)
            opened.wait(FOLLOW_SECONDS)
            for chunk in reader:
                with lock:
                    received.extend(chunk.data.column("id").to_pylist())
                    if len(received) >= count:
                        enough.set()
        except flight.FlightCancelledError:
            pass
        except Exception as e:  # handed to the main thread, which raises it
            failure.append(e)
            enough.set()

    scan = {
        "scan": {
            "database": DATABASE,
            "table": TABLE,
            "columns": ["id"],
            "buckets": [
                {"bucket": b, "startAt": "START_OFFSET", "start": str(o), "endAt": "END_NONE"}
                for b, o in sorted(start.items())
            ],
        }
    }
    info = session.client.get_flight_info(
        flight.FlightDescriptor.for_command(json.dumps(scan).encode())
    )
    session.expect("endpoints of the scan", len(info.endpoints), len(start))
    threads = [threading.Thread(target=read, args=(e,), daemon=True) for e in info.endpoints]
    for thread in threads:
        thread.start()
    opened.wait(FOLLOW_SECONDS)
    writer, answers = session.client.do_put(PATH, SCHEMA)
    for i in range(count):
        writer.write_table(rows(first + i, 1))
    writer.done_writing()
    while answers.read() is not None:
        pass
    writer.close()
    enough.wait(FOLLOW_SECONDS)
    for reader in readers:
        reader.cancel()
    for thread in threads:
        thread.join(FOLLOW_SECONDS)
    if failure:
        raise failure[0]
    say(f"{len(received)} of {count} rows arrived")
    session.expect("rows that arrived", sorted(received), list(range(first, first + count)))
    if len(received) < count:
        raise Mismatch(f"only {len(received)} of {count} rows arrived in {FOLLOW_SECONDS} s")


def exactly_once(session, first, count):
    """Uploads the same rows twice under one writer name: they are stored once."""
    step("Upload exactly once (DoPut with a writer name), and once more")
    name = f"python-quickstart-{time.time_ns()}"
    put = {"stockPut": {"database": DATABASE, "table": TABLE, "writerName": name}}
    descriptor = flight.FlightDescriptor.for_command(json.dumps(put).encode())
    for attempt in ("first upload", "the same again, as after a crash"):
        writer, answers = session.client.do_put(descriptor, SCHEMA)
        for sequence in range(0, count, 10):
            # The position of the first row of this message in our own numbering.
            metadata = json.dumps({"sequence": str(sequence)}).encode()
            batch = rows(first + sequence, min(10, count - sequence)).to_batches()[0]
            writer.write_with_metadata(batch, metadata)
        writer.done_writing()
        while answers.read() is not None:
            pass
        writer.close()
        say(f"{attempt}: {count} rows sent, {scanned(session, first, count)} stored")
    session.expect("rows stored", scanned(session, first, count), count)


def create_keyed_table(session):
    step("Create a table with a primary key (DoAction)")
    action(
        session.client,
        "drop-table",
        {"database": DATABASE, "table": KEYED_TABLE, "ignoreIfMissing": True},
    )
    info = action(
        session.client,
        "create-table",
        {
            "database": DATABASE,
            "table": KEYED_TABLE,
            "columns": [
                {"name": "iata", "type": "STRING", "notNull": True},
                {"name": "name", "type": "STRING"},
                {"name": "elevation", "type": "INT"},
            ],
            "primaryKey": ["iata"],
            "options": {"bucket.num": str(BUCKETS)},
        },
    )
    say(f"{DATABASE}.{KEYED_TABLE} with {info.get('bucketCount')} buckets")


def put(session, descriptor, columns):
    """Uploads columns, given by name, and waits until they are stored."""
    table = pa.table(columns)
    writer, answers = session.client.do_put(descriptor, table.schema)
    writer.write_table(table)
    writer.done_writing()
    while answers.read() is not None:
        pass
    writer.close()


def upsert(session):
    step("Upsert and delete rows by key (DoPut with a path, column _op)")
    put(
        session,
        KEYED_PATH,
        {
            "iata": ["SFO", "JFK", "DEN"],
            "name": ["San Francisco", "Kennedy", "Denver"],
            "elevation": pa.array([13, 12, 5431], pa.int32()),
        },
    )
    put(session, KEYED_PATH, {"_op": ["+U", "-D"], "iata": ["SFO", "JFK"], "name": ["SF", None]})
    say("3 rows, then one replaced and one deleted")
    session.expect("rows", current_rows(session), [("DEN", "Denver", 5431), ("SFO", "SF", None)])


def update_some_columns(session):
    step("Update some columns, and leave the others as they are (DoPut with target columns)")
    command = {
        "stockPut": {
            "database": DATABASE,
            "table": KEYED_TABLE,
            "targetColumns": ["iata", "elevation"],
        }
    }
    put(
        session,
        flight.FlightDescriptor.for_command(json.dumps(command).encode()),
        {
            # A delete sets the targets to NULL and keeps the row.
            "_op": ["+U", "-D", "+U"],
            "iata": ["SFO", "DEN", "BOS"],
            "elevation": pa.array([14, None, 6], pa.int32()),
        },
    )
    found = current_rows(session)
    for row in found:
        say(str(row))
    session.expect(
        "rows", found, [("BOS", None, 6), ("DEN", "Denver", None), ("SFO", "SF", 14)]
    )


def current_rows(session):
    """The rows of the table with a primary key as they are, in the order of their keys."""
    scan = {"scan": {"database": DATABASE, "table": KEYED_TABLE, "kvScan": True}}
    table = read_all(session, flight.FlightDescriptor.for_command(json.dumps(scan).encode()))
    return sorted(zip(*table.to_pydict().values()))


def look_up(session):
    step("Look rows up (DoExchange)")
    command = {
        "lookup": {"database": DATABASE, "table": KEYED_TABLE, "columns": ["name", "elevation"]}
    }
    descriptor = flight.FlightDescriptor.for_command(json.dumps(command).encode())
    keys = pa.record_batch({"iata": ["SFO", "ZZZ", "DEN"]})
    writer, reader = session.client.do_exchange(descriptor)
    with writer:
        writer.begin(keys.schema)
        writer.write_batch(keys)
        found = reader.read_chunk().data.to_pydict()
        writer.done_writing()
    say(f"{found}")
    session.expect("rows found", found["_found"], [True, False, True])
    session.expect("names", found["name"], ["SF", None, "Denver"])


def scanned(session, first, count):
    """How many rows with a number in [first, first + count) the table holds."""
    ids = read_all(session, PATH).column("id").to_pylist()
    return sum(1 for i in ids if first <= i < first + count)


def run(session):
    create_table(session)
    list_tables(session)
    append(session, 1000)
    scan_two_columns(session, 1000)
    start = list_offsets(session, 1000)
    follow(session, 1000, 100, start)
    exactly_once(session, 1100, 200)
    create_keyed_table(session)
    upsert(session)
    update_some_columns(session)
    look_up(session)
    step("Drop the tables (DoAction)")
    for table in (TABLE, KEYED_TABLE):
        action(session.client, "drop-table", {"database": DATABASE, "table": table})
    say("dropped")


def main():
    parser = argparse.ArgumentParser(description="Sluice through pyarrow.flight")
    parser.add_argument("address", help="a tablet server, for example grpc://127.0.0.1:9223")
    parser.add_argument("--check", action="store_true", help="assert what each step returns")
    arguments = parser.parse_args()
    session = Session(flight.connect(arguments.address), arguments.address, arguments.check)
    try:
        run(session)
    except (Mismatch, flight.FlightError, pa.ArrowException, threading.BrokenBarrierError) as e:
        print(f"\nFAILED: {e or type(e).__name__}", file=sys.stderr)
        return 1
    finally:
        session.close()
    print("\nPASS" if arguments.check else "\nDone", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
