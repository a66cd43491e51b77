internal import StoreModels

/// A certificate of the store's chain: X.509 version 3 with a key on P-256 or P-384, signed with ECDSA.
struct SigningCertificate {
    /// The curves of keys, by their object identifiers in DER.
    enum Curve {
        case p256, p384

        init?(_ identifier: ArraySlice<UInt8>) {
            switch Array(identifier) {
            case [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]: self = .p256
            case [0x2B, 0x81, 0x04, 0x00, 0x22]: self = .p384
            default: return nil
            }
        }
    }

    /// The digests of signatures.
    enum Digest {
        case sha256, sha384

        /// Reads an algorithm: ECDSA with one of the digests, and no parameters.
        init?(_ algorithm: DER) {
            guard let parts = algorithm.elements, parts.count == 1, parts[0].tag == DER.Tag.identifier else {
                return nil
            }
            switch Array(parts[0].content) {
            case [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]: self = .sha256
            case [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x03]: self = .sha384
            default: return nil
            }
        }
    }

    /// A public key: the certificate's own element, and the point in it.
    struct Key {
        let curve: Curve
        let info: [UInt8]
        /// X9.63, uncompressed.
        let point: [UInt8]
    }

    /// Apple's marks of purpose, which the store's certificates have too.
    enum Mark {
        /// 1.2.840.113635.100.6.11.1
        static let leaf: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 0x06, 0x0B, 0x01]
        /// 1.2.840.113635.100.6.2.1
        static let intermediate: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 0x06, 0x02, 0x01]
    }

    fileprivate enum Known {
        static let keyUsage: [UInt8] = [0x55, 0x1D, 0x0F]
        static let basicConstraints: [UInt8] = [0x55, 0x1D, 0x13]
        static let publicKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    }

    let issuer: [UInt8]
    let subject: [UInt8]
    /// The first and the last instant, as ``DER/time``.
    let validity: ClosedRange<String>
    let key: Key
    private let signed: [UInt8]
    private let digest: Digest
    private let signature: [UInt8]
    private var extensions: [[UInt8]: ArraySlice<UInt8>] = [:]
    private(set) var isAuthority = false
    /// The most authorities below. Nil for any number.
    private(set) var pathLengthMax: Int?

    /// Reads a certificate. Nil for any other form, and for a critical extension that is not known here.
    init?(_ der: [UInt8]) {
        var bytes = der[...]
        guard let outer = DER(taking: &bytes, DER.Tag.sequence), bytes.isEmpty, let parts = outer.elements,
            parts.count == 3, parts[0].tag == DER.Tag.sequence, let digest = Digest(parts[1]),
            let signature = parts[2].bits
        else { return nil }
        (self.digest, self.signature, signed) = (digest, Array(signature), Array(parts[0].whole))
        var body = parts[0].content
        guard let version = DER(taking: &body, DER.Tag.version), Array(version.content) == [DER.Tag.integer, 1, 2],
            DER(taking: &body, DER.Tag.integer) != nil,
            let algorithm = DER(taking: &body, DER.Tag.sequence), algorithm.whole == parts[1].whole,
            let issuer = DER(taking: &body, DER.Tag.sequence),
            let times = DER(taking: &body, DER.Tag.sequence)?.elements, times.count == 2,
            let first = times[0].time, let last = times[1].time, first <= last,
            let subject = DER(taking: &body, DER.Tag.sequence),
            let info = DER(taking: &body, DER.Tag.sequence), let key = Key(info),
            let list = DER(taking: &body, DER.Tag.extensions), body.isEmpty
        else { return nil }
        (self.issuer, self.subject, validity) = (Array(issuer.whole), Array(subject.whole), first...last)
        self.key = key
        guard read(extensions: list) else { return nil }
    }

    /// Whether the certificate is valid at an instant. Nil for any.
    func isValid(at instant: Timestamp?) -> Bool {
        instant.map { validity.contains(String($0.description.filter(\.isNumber).prefix(14))) } ?? true
    }

    /// Whether the certificate has a mark.
    func has(_ mark: [UInt8]) -> Bool { extensions[mark] != nil }

    /// Whether `issuer` has signed this certificate.
    func isSigned(by issuer: SigningCertificate) -> Bool {
        self.issuer == issuer.subject && ECDSA.verifies(signature, of: signed, digest, issuer.key)
    }

    private mutating func read(extensions list: DER) -> Bool {
        guard let outer = list.elements, outer.count == 1, let entries = outer[0].elements else { return false }
        for entry in entries {
            guard var parts = entry.elements, entry.tag == DER.Tag.sequence, parts.count >= 2 else { return false }
            let name = parts.removeFirst()
            let isCritical = parts.count == 2 ? parts.removeFirst().boolean : false
            guard let isCritical, name.tag == DER.Tag.identifier, parts.count == 1,
                parts[0].tag == DER.Tag.octetString,
                extensions.updateValue(parts[0].content, forKey: Array(name.content)) == nil,
                !isCritical || [Known.keyUsage, Known.basicConstraints].contains(Array(name.content))
            else { return false }
        }
        return readConstraints()
    }

    private mutating func readConstraints() -> Bool {
        guard var bytes = extensions[Known.basicConstraints] else { return true }
        guard let outer = DER(taking: &bytes, DER.Tag.sequence), bytes.isEmpty, let parts = outer.elements else {
            return false
        }
        isAuthority = parts.first?.boolean ?? false
        guard let length = parts.dropFirst(isAuthority ? 1 : 0).first else { return true }
        guard isAuthority, parts.count == 2, length.tag == DER.Tag.integer, length.content.count == 1,
            let value = length.content.first, value < 0x80
        else { return false }
        pathLengthMax = Int(value)
        return true
    }

    /// Whether the key may sign what `bit` of the usage says: 0 data, 5 certificates. Without the extension it may.
    func allows(bit: UInt8) -> Bool {
        guard var bytes = extensions[Known.keyUsage] else { return true }
        guard let usage = DER(taking: &bytes, DER.Tag.bitString), usage.content.count >= 2 else { return false }
        return usage.content[usage.content.startIndex + 1] & (0x80 >> bit) != 0
    }

    static let signsData: UInt8 = 0
    static let signsCertificates: UInt8 = 5
}

extension SigningCertificate.Key {
    fileprivate init?(_ info: DER) {
        guard let parts = info.elements, parts.count == 2, let algorithm = parts[0].elements, algorithm.count == 2,
            Array(algorithm[0].content) == SigningCertificate.Known.publicKey,
            let curve = SigningCertificate.Curve(algorithm[1].content), let point = parts[1].bits,
            point.first == 0x04, point.count == (curve == .p256 ? 65 : 97)
        else { return nil }
        self.init(curve: curve, info: Array(info.whole), point: Array(point))
    }
}
