import AppStoreServerLibrary
import Foundation

let env = ProcessInfo.processInfo.environment
func file(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: name)) }
// The library has no place for an address: Apple's host name leads to the store.
let client = try AppStoreServerAPIClient(
    signingKey: String(decoding: file("AuthKey.p8"), as: UTF8.self), keyId: env["KEY_ID"]!, issuerId: env["ISSUER_ID"]!,
    bundleId: env["BUNDLE_ID"]!, environment: .sandbox)
let verifier = try SignedDataVerifier(
    rootCertificates: [file("root.cer")], bundleId: env["BUNDLE_ID"]!, appAppleId: nil, environment: .sandbox,
    enableOnlineChecks: true)
if case .success(let response) = await client.getTransactionInfo(transactionId: CommandLine.arguments[1]),
    case .valid(let transaction) = await verifier.verifyAndDecodeTransaction(
        signedTransaction: response.signedTransactionInfo ?? "")
{
    print(transaction.productId ?? "")
}
