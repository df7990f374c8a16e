"""Reads our frames with PyPI's cloudevents, or writes frames for us to read.

    sdk.py read     a frame a line on stdin; what the package makes of each comes back as a line of JSON, times in
                    microseconds since 1970
    sdk.py write    prints two frames, a line each
"""

import json
import sys
from datetime import datetime, timedelta, timezone

from cloudevents.core.formats.json import JSONFormat
from cloudevents.core.v1.event import CloudEvent

FORMAT = JSONFormat()
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def read():
    for line in sys.stdin.buffer:
        # Every attribute is checked against the specification; what breaks it raises.
        event = FORMAT.read(None, line)
        attributes = {name: number(value) for name, value in event.get_attributes().items()}
        print(json.dumps({"attributes": attributes, "data": event.get_data()}))


def write():
    plain = {"id": "py-1", "source": "https://python.example/orders", "type": "order.paid"}
    print(FORMAT.write(CloudEvent(plain, {"order": 1, "note": "from Python"})).decode())
    full = {
        "id": "py/2 \N{CRAB}",
        "source": "/relative/source",
        "type": "order.paid",
        "time": datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=timezone.utc),
        "datacontenttype": "application/json; charset=utf-8",
        "dataschema": "https://python.example/schema",
        "subject": "order 2",
        "correlationid": "story-2",
        "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "anything": "that we do not know",
    }
    print(FORMAT.write(CloudEvent(full, {"order": 2, "note": "\N{CRAB}"})).decode())


def number(value):
    return (value - EPOCH) // timedelta(microseconds=1) if isinstance(value, datetime) else value


if __name__ == "__main__":
    {"read": read, "write": write}[sys.argv[1]]()
