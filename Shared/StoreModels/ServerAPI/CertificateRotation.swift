/// The certificate that an operator replaces together with its key.
public enum CertificateRotation: String, CaseIterable, Sendable, Codable {
    /// The leaf only.
    case leaf
    /// The intermediate and, because it signs the leaf, the leaf.
    case intermediate
}
