import json, os, sys
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier

root = open("root.cer", "rb").read()  # Apple's root in production
verifier = SignedDataVerifier([root], "online" in sys.argv, Environment.SANDBOX, os.environ["BUNDLE_ID"])
notification = verifier.verify_and_decode_notification(json.load(sys.stdin)["signedPayload"])
print(notification.rawNotificationType)
