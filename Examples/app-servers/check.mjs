import { readFileSync } from "node:fs"
import { AppStoreServerAPIClient, Environment, SignedDataVerifier } from "@apple/app-store-server-library"

const { KEY_ID, ISSUER_ID, BUNDLE_ID, STOREBUS_URL } = process.env
const client = new AppStoreServerAPIClient(readFileSync("AuthKey.p8", "utf8"), KEY_ID, ISSUER_ID, BUNDLE_ID, Environment.SANDBOX)
client.urlBase = STOREBUS_URL // not with Apple's host name; in TypeScript (client as any)
const { signedTransactionInfo } = await client.getTransactionInfo(process.argv[2])
const verifier = new SignedDataVerifier([readFileSync("root.cer")], true, Environment.SANDBOX, BUNDLE_ID)
console.log((await verifier.verifyAndDecodeTransaction(signedTransactionInfo)).productId)
