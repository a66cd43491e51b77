"""An app's server: takes notifications at http://localhost:8080/apple and verifies them with Apple's library.

    python3 server.py ROOT-CERTIFICATE [BUNDLE-ID]     the file that `storebus trust python` names
"""
import http.server, json, sys
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier, VerificationException

root, app = open(sys.argv[1], "rb").read(), (sys.argv[2:] or ["com.example.app"])[0]
verifier = SignedDataVerifier([root], True, Environment.SANDBOX, app)


class Server(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            notification = verifier.verify_and_decode_notification(body["signedPayload"])
        except VerificationException as error:
            print("refused:", error.status.name, flush=True)
            return self.answer(400)
        transaction = notification.data and notification.data.signedTransactionInfo
        product = transaction and verifier.verify_and_decode_signed_transaction(transaction).productId
        print("verified:", notification.rawNotificationType, notification.rawSubtype or "", product or "", flush=True)
        self.answer(200)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *words):
        pass


server = http.server.HTTPServer(("127.0.0.1", 8080), Server)
print("waiting at http://localhost:8080/apple", flush=True)
server.serve_forever()
