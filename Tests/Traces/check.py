"""A store that exports its traces, and a collector that reads them by opentelemetry-proto: scripts/trace-receiver runs it.

    check.py STOREBUS
"""

import base64
import http.server
import json
import os
import subprocess
import sys
import threading

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

STOREBUS = sys.argv[1]
SECONDS = 30
received, arrived, checks = [], threading.Condition(), 0


def check(holds, what):
    global checks
    checks += 1
    if not holds:
        sys.exit(f"✘ {what}")


class Collector(http.server.BaseHTTPRequestHandler):
    refusals = 2

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with arrived:
            # A collector that starts late: nothing is lost.
            if Collector.refusals > 0:
                Collector.refusals -= 1
                self.send_response(503)
            else:
                received.append((self.path, dict(self.headers), body))
                self.send_response(200)
            arrived.notify_all()
        self.end_headers()

    def log_message(self, *_):
        pass


def request_of(body):
    """The request as the definitions read it. OTLP writes identifiers in hexadecimal digits, where protobuf has base64."""
    document = json.loads(body)
    for resource in document["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                for name in ("traceId", "spanId", "parentSpanId"):
                    if name in span:
                        span[name] = base64.b64encode(bytes.fromhex(span[name])).decode()
    return json_format.ParseDict(document, ExportTraceServiceRequest())


def spans():
    found = []
    for _, _, body in received:
        for resource in request_of(body).resource_spans:
            about = {one.key: one.value.string_value for one in resource.resource.attributes}
            found += [(about, span) for scope in resource.scope_spans for span in scope.spans]
    return found


def until(what, holds):
    with arrived:
        check(arrived.wait_for(holds, SECONDS), f"{what} within {SECONDS} s; there are {[span.name for _, span in spans()]}")


def storebus(*words):
    done = subprocess.run([STOREBUS, *words, "-o", "json"], capture_output=True, text=True)
    check(done.returncode == 0, f"storebus {' '.join(words)}: {done.stdout}{done.stderr}")
    return json.loads(done.stdout)["data"]


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
threading.Thread(target=server.serve_forever, daemon=True).start()
environment = {
    **os.environ, "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{server.server_port}",
    "OTEL_EXPORTER_OTLP_HEADERS": "x-key=secret", "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment=ci"}
up = subprocess.run(
    [STOREBUS, "up", "--port", "auto", "--bus-port", "auto", "--detach"], env=environment, capture_output=True, text=True)
check(up.returncode == 0, up.stderr)
number = storebus("buy", "com.example.hiddenBeaches", "--as", "alice")["transaction"]["transactionIdentifier"]
WANTED = {"POST /v1/payments", "queue.add", "commit"}


def is_whole():
    commit = next((span for _, span in spans() if span.name == "commit"), None)
    return commit and WANTED <= {span.name for _, span in spans() if span.trace_id == commit.trace_id}


until("the whole purchase", is_whole)

about, commit = next((about, span) for about, span in spans() if span.name == "commit")
trace = [(about, span) for about, span in spans() if span.trace_id == commit.trace_id]
names = {span.name: (about, span) for about, span in trace}
root, add = names["POST /v1/payments"][1], names["queue.add"][1]
check(not root.parent_span_id and add.parent_span_id == root.span_id, "queue.add is a part of the request")
check(commit.parent_span_id == add.span_id, "the commit is a part of queue.add")
check(len(root.trace_id) == 16 and len(root.span_id) == 8, "identifiers have 16 and 8 bytes")
check((root.kind, add.kind, commit.kind) == (2, 2, 1), "kinds are SERVER and INTERNAL")
check(all(0 < span.start_time_unix_nano <= span.end_time_unix_nano for _, span in trace), "spans end after they began")
check(names["POST /v1/payments"][0]["service.name"] == "gateway", "the gateway is a resource")
check(about["service.name"] == "payment-queue" and about["deployment.environment"] == "ci", f"a resource has {about}")
check(any(one.key == "storebus.transaction" and one.value.string_value == number for one in add.attributes),
      f"queue.add names the transaction {number}")
path, headers, _ = received[0]
check(path == "/v1/traces" and headers["Content-Type"] == "application/json", f"{path} {headers}")
check({name.lower(): value for name, value in headers.items()}["x-key"] == "secret", "a header of the variable is sent")
identifiers = [span.span_id for _, span in spans()]
check(len(identifiers) == len(set(identifiers)), "each span comes once, also after a refusal")
shown = storebus("trace", number)
check(shown["traceId"] == commit.trace_id.hex(), "the command line shows the same trace")
check({one["spanId"] for one in shown["spans"]} >= {span.span_id.hex() for _, span in trace}, "with the same spans")
storebus("buy", "com.example.hiddenBeaches", "--as", "bob")
storebus("down")
names = sorted(span.name for _, span in spans())
check(names.count("queue.add") == names.count("POST /v1/payments") == 2, f"a store that stops sends its last spans: {names}")
identifiers = [span.span_id for _, span in spans()]
print(f"{checks} checks of {len(identifiers)} spans in {len(received)} requests, as opentelemetry-proto reads them")
