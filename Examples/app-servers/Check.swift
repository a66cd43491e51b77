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
func fail(_ reason: Any) -> Never {
    FileHandle.standardError.write(Data("\(reason)\n".utf8))
    exit(1)
}

let answer = await client.getTransactionInfo(transactionId: CommandLine.arguments[1])
guard case .success(let response) = answer else { fail(answer) }
let verified = await verifier.verifyAndDecodeTransaction(signedTransaction: response.signedTransactionInfo ?? "")
guard case .valid(let transaction) = verified else { fail(verified) }
print(transaction.productId ?? "")
