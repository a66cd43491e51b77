import Cryptography
import FoundationEssentials

/// Makes the binary receipt that an app finds in its bundle and sends to `verifyReceipt`.
package struct ReceiptSigner: Sendable {
    private let authority: CertificateAuthority

    /// Creates a signer that signs with the authority's leaf.
    package init(_ authority: CertificateAuthority) {
        self.authority = authority
    }

    /// Writes and signs a receipt.
    ///
    /// - Returns: PKCS#7, DER. Base64 of it is `receiptData`.
    /// - Throws: An error for values that a receipt cannot hold, such as an instant after the year 9999.
    package func sign(_ document: ReceiptDocument) throws -> [UInt8] {
        try sign(content: try document.encoded())
    }

    /// Signs any bytes, so that tests can make receipts a store never would.
    func sign(content: [UInt8]) throws -> [UInt8] {
        let signature = authority.leafKey.signature(for: content)
        return try SignedReceipt(
            content: content[...], certificates: authority.chain, issuer: authority.leaf.issuer,
            serialNumber: authority.leaf.serialNumber, signature: Array(signature.derRepresentation)[...]
        ).encoded()
    }
}
