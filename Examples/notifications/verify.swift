import AppStoreServerLibrary
import Foundation

struct Body: Decodable { let signedPayload: String }
let body = try JSONDecoder().decode(Body.self, from: FileHandle.standardInput.readDataToEndOfFile())
let root = try Data(contentsOf: URL(fileURLWithPath: "root.cer"))
let verifier = try SignedDataVerifier(
    rootCertificates: [root], bundleId: ProcessInfo.processInfo.environment["BUNDLE_ID"]!, appAppleId: nil,
    environment: .sandbox, enableOnlineChecks: false)
switch await verifier.verifyAndDecodeNotification(signedPayload: body.signedPayload) {
case .valid(let notification): print(notification.rawNotificationType ?? "")
case .invalid(let error):
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
