import Cryptography

/// Serial numbers of the certificates that an authority has issued.
///
/// The number itself proves it: its first half is random, and the second follows from the first and the issuer's key. A
/// responder needs no list, and one that starts again answers the same. Of numbers that the issuer has not chosen, one
/// in 2⁷⁹ is taken for its own.
struct IssuedSerialNumber {
    /// Together 20 bytes, the most that a serial number has (RFC 5280 §4.1.2.2).
    private static let half = 10

    let issuerKey: P256.Signing.PrivateKey

    /// Makes the number of a new certificate.
    /// - Parameter isRevoked: Whether the certificate is issued as a revoked one.
    func random(isRevoked: Bool) -> [UInt8] {
        // Positive, and without a zero in front, which DER leaves out.
        let first = [UInt8.random(in: 0x01...0x7F)] + (1..<Self.half).map { _ in UInt8.random(in: 0...0xFF) }
        return first + second(first, isRevoked: isRevoked)
    }

    /// Tells whether a certificate of the issuer's was issued as a revoked one.
    /// - Returns: Nil for a number that the issuer never gave.
    func isRevoked(_ serialNumber: some Collection<UInt8>) -> Bool? {
        guard serialNumber.count == 2 * Self.half else { return nil }
        let (first, last) = (Array(serialNumber.prefix(Self.half)), serialNumber.suffix(Self.half))
        return [false, true].first { second(first, isRevoked: $0).elementsEqual(last) }
    }

    private func second(_ first: [UInt8], isRevoked: Bool) -> [UInt8] {
        let code = HMAC<SHA256>.authenticationCode(
            for: first + [isRevoked ? 1 : 0], using: SymmetricKey(data: issuerKey.rawRepresentation))
        return Array(code.prefix(Self.half))
    }
}
