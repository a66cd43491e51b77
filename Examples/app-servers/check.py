import os, sys
from appstoreserverlibrary.api_client import AppStoreServerAPIClient, Environment
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier

key, bundle = open("AuthKey.p8", "rb").read(), os.environ["BUNDLE_ID"]
client = AppStoreServerAPIClient(key, os.environ["KEY_ID"], os.environ["ISSUER_ID"], bundle, Environment.SANDBOX)
client._base_url = os.environ["STOREBUS_URL"]  # not with Apple's host name
signed = client.get_transaction_info(sys.argv[1]).signedTransactionInfo
verifier = SignedDataVerifier([open("root.cer", "rb").read()], True, Environment.SANDBOX, bundle)
print(verifier.verify_and_decode_signed_transaction(signed).productId)
