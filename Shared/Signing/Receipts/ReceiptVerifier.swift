import Crypto
import Foundation
import X509

/// Verifies that a binary receipt is the store's, and reads it. The store is the one whose root this is.
///
/// The content is read only after the signature has been verified. The bytes must be exactly those ``ReceiptSigner``
/// would have written around the same content and signature. So a receipt with any changed, added or cut byte is
/// refused, even if the change has no meaning. (ECDSA has two equivalent signatures of one content, and either is
/// taken.)
package struct ReceiptVerifier: Sendable {
    /// The most bytes of a receipt. A longer one is `malformed` without being parsed.
    package static let receiptBytesMax = 1 << 20

    private let root: Certificate

    /// Creates a verifier of one store's receipts.
    package init(root: Certificate) {
        self.root = root
    }

    /// Verifies a receipt in base64.
    ///
    /// - Parameter receiptData: Base64, as an app sends it. White space between is passed over.
    /// - Throws: `malformed` or `signature`.
    package func verify(receiptData: String) async throws(ReceiptError) -> ReceiptDocument {
        // A receipt of the greatest length, in lines.
        guard receiptData.utf8.count <= Self.receiptBytesMax * 3 / 2 else { throw .malformed }
        let text = receiptData.utf8.filter { !"\r\n\t ".utf8.contains($0) }
        guard !text.isEmpty, let data = Data(base64Encoded: Data(text)) else { throw .malformed }
        return try await verify([UInt8](data))
    }

    /// Verifies a receipt in binary form.
    ///
    /// - Parameter receipt: PKCS#7, DER.
    /// - Throws: `malformed` or `signature`.
    package func verify(_ receipt: [UInt8]) async throws(ReceiptError) -> ReceiptDocument {
        guard receipt.count <= Self.receiptBytesMax else { throw .malformed }
        let outline = ReceiptOutline(receipt)
        guard outline.isSignedData else { throw .malformed }
        guard let wrapping = outline.wrappingBytes, wrapping <= ReceiptOutline.wrappingBytesMax,
            let signed = try? SignedReceipt(reading: receipt), (try? signed.encoded()) == receipt
        else { throw .signature }
        guard isSigned(signed), await isOfThisStore(signed) else { throw .signature }
        return try ReceiptDocument(encoded: signed.content)
    }

    private func isSigned(_ signed: SignedReceipt) -> Bool {
        guard let leaf = signed.certificate, let key = P256.Signing.PublicKey(leaf.publicKey),
            let signature = try? P256.Signing.ECDSASignature(derRepresentation: Data(signed.signature))
        else { return false }
        return key.isValidSignature(signature, for: Data(signed.content))
    }

    /// Whether the signing certificate is for receipts and chains to the store's root. The chain must consist of
    /// exactly the certificates in the message.
    private func isOfThisStore(_ signed: SignedReceipt) async -> Bool {
        guard signed.certificates.count == 3, let leaf = signed.certificate, leaf.isForReceipts else { return false }
        var verifier = Verifier(rootCertificates: CertificateStore([root])) { RFC5280Policy() }
        let result = await verifier.validate(leaf: leaf, intermediates: CertificateStore(signed.certificates))
        guard case .validCertificate(let chain) = result else { return false }
        return Set(chain) == Set(signed.certificates)
    }
}

extension Certificate {
    /// Whether the store made it to sign receipts. Certificates that its authority may issue for other purposes are not
    /// receipt signers.
    fileprivate var isForReceipts: Bool {
        guard let marker = CertificateTemplate.leaf.marker, extensions[oid: marker] != nil,
            let usage = try? extensions.keyUsage, let constraints = try? extensions.basicConstraints
        else { return false }
        return usage.digitalSignature && constraints == .notCertificateAuthority
    }
}

/// The reason why a receipt is refused.
public enum ReceiptError: String, Error, CaseIterable, Sendable {
    /// It is not base64 or not PKCS#7, or the signed content is not a receipt.
    case malformed
    /// The signature is not this store's, or the signed content has been changed.
    case signature
    /// It is another app's.
    case bundleId
    /// It belongs to the other environment.
    case environment
}
