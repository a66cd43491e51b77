import Cryptography
import FoundationEssentials

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
    package func verify(receiptData: String) throws(ReceiptError) -> ReceiptDocument {
        // A receipt of the greatest length, in lines.
        guard receiptData.utf8.count <= Self.receiptBytesMax * 3 / 2 else { throw .malformed }
        let text = receiptData.utf8.filter { !"\r\n\t ".utf8.contains($0) }
        guard !text.isEmpty, let data = Data(base64Encoded: Data(text)) else { throw .malformed }
        return try verify([UInt8](data))
    }

    /// Verifies a receipt in binary form.
    ///
    /// - Parameter receipt: PKCS#7, DER.
    /// - Throws: `malformed` or `signature`.
    package func verify(_ receipt: [UInt8]) throws(ReceiptError) -> ReceiptDocument {
        guard receipt.count <= Self.receiptBytesMax else { throw .malformed }
        let outline = ReceiptOutline(receipt)
        guard outline.isSignedData else { throw .malformed }
        guard let wrapping = outline.wrappingBytes, wrapping <= ReceiptOutline.wrappingBytesMax,
            let signed = try? SignedReceipt(reading: receipt), (try? signed.encoded()) == receipt
        else { throw .signature }
        guard isSigned(signed), isOfThisStore(signed) else { throw .signature }
        return try ReceiptDocument(encoded: signed.content)
    }

    private func isSigned(_ signed: SignedReceipt) -> Bool {
        guard let key = signed.certificate?.publicKey,
            let signature = try? P256.Signing.ECDSASignature(derRepresentation: signed.signature)
        else { return false }
        return key.isValidSignature(signature, for: signed.content)
    }

    /// Whether the signing certificate is for receipts and chains to the store's root. The chain must consist of
    /// exactly the certificates in the message.
    private func isOfThisStore(_ signed: SignedReceipt) -> Bool {
        guard signed.certificates.count == 3, let leaf = signed.certificate, leaf.isForReceipts else { return false }
        let chain = CertificateChain.path(from: leaf, through: signed.certificates, to: root, at: .now)
        return chain.map(Set.init) == Set(signed.certificates)
    }
}

extension Certificate {
    /// Whether the store made it to sign receipts. Certificates that its authority may issue for other purposes are not
    /// receipt signers.
    fileprivate var isForReceipts: Bool {
        guard let marker = CertificateTemplate.leaf.marker, value(of: marker) != nil, let keyUsage else { return false }
        return keyUsage.contains(.digitalSignature) && isAuthority == false
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

/// The outline of a message, read from the headers of its first elements.
///
/// A parser makes a node of each element it meets, and the sender of a message of 1 MiB chooses how many there are. The
/// outline's cost does not depend on that number: it rejects a message before a parser reads it.
struct ReceiptOutline {
    /// The most bytes of a message around its content: three certificates, a signature, and room. Storebus's receipts
    /// have about 1 700.
    static let wrappingBytesMax = 8192

    /// Whether it is SignedData of any signer, complete and without trailing bytes. It is in DER, or in BER without a
    /// length.
    let isSignedData: Bool
    /// Bytes that are not content. Nil for another layout than that of receipts.
    let wrappingBytes: Int?

    /// PKCS#7 SignedData, 1.2.840.113549.1.7.2, as DER has it.
    private static let signedData: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 2]

    init(_ message: [UInt8]) {
        var elements = Elements(rest: message[...])
        if message.starts(with: [0x30, 0x80]) {
            isSignedData = message.dropFirst(2).starts(with: Self.signedData)
            wrappingBytes = nil
            return
        }
        guard let inside = elements.next(0x30), elements.rest.isEmpty, inside.starts(with: Self.signedData) else {
            isSignedData = false
            wrappingBytes = nil
            return
        }
        isSignedData = true
        wrappingBytes = Self.content(in: inside).map { message.count - $0.count }
    }

    /// Finds the content. Its path is ContentInfo → `[0]` → SignedData → version, algorithms, ContentInfo → `[0]` →
    /// OCTET STRING.
    private static func content(in contentInfo: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard var explicit = explicit(in: contentInfo), let signedData = explicit.next(0x30) else { return nil }
        var elements = Elements(rest: signedData)
        guard elements.next(0x02) != nil, elements.next(0x31) != nil, let inner = elements.next(0x30),
            var content = self.explicit(in: inner)
        else { return nil }
        return content.next(0x04)
    }

    /// The elements of a ContentInfo behind its type.
    private static func explicit(in contentInfo: ArraySlice<UInt8>) -> Elements? {
        var elements = Elements(rest: contentInfo)
        guard elements.next(0x06) != nil, let inside = elements.next(0xA0) else { return nil }
        return Elements(rest: inside)
    }

    private struct Elements {
        var rest: ArraySlice<UInt8>

        /// The contents of the next element. Nil when it has another tag, or continues beyond the end.
        mutating func next(_ tag: UInt8) -> ArraySlice<UInt8>? {
            guard rest.popFirst() == tag, let first = rest.popFirst() else { return nil }
            var length = Int(first)
            if first >= 0x80 {
                let count = Int(first & 0x7F)
                guard (1...4).contains(count), rest.count >= count else { return nil }
                length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(count)
            }
            guard rest.count >= length else { return nil }
            defer { rest = rest.dropFirst(length) }
            return rest.prefix(length)
        }
    }
}
