/// The faults that a signature can have on purpose, to test that servers refuse them.
///
/// Each is right in everything but its own fault. Numbers are the status of Apple's libraries, with online checks off
/// and on.
public enum BrokenSignature: String, CaseIterable, Sendable, Codable {
    /// One bit of the signature is changed: 1, 1.
    case signature
    /// The payload has a member `tampered` that was not signed: 1, 1.
    case tampered
    /// The chain has the right names and ends in another root: 1, 1.
    case root
    /// The leaf lacks the marker of Apple's signing certificates: 1, 1.
    case leafOID
    /// The intermediate lacks the marker of Apple's intermediates: 1, 1.
    case intermediateOID
    /// The leaf's last day was in 1999, before any business clock: 1, 1.
    case expired
    /// The leaf's first day is in 2200, after any business clock: 1, 1.
    case notYetValid
    /// The header names no certificates: 1, 1.
    case noX5C
    /// The header says `none`, and the signature is empty: 1, 1.
    case algorithm
    /// The root is left out: 4, 4.
    case chainOfTwo
    /// The root is there twice: 4, 4.
    case chainOfFour
    /// The leaf is cut in half: 3, 3.
    case corruptCertificate
    /// The leaf is one that the OCSP responder calls revoked: valid offline, 1 online.
    case revoked
    /// The payload is another app's: 2, 2.
    case bundle
    /// The payload is of another environment: 6, 6.
    case environment
}
