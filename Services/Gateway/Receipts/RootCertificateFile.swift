import Foundation
import Operations
import Signing

/// The root certificate where people look for it: `root.cer` (DER, as Apple hands out its own) and `root.pem` beside the
/// database. Public; written at every start, so that they are always those of the database.
enum RootCertificateFile {
    /// - Throws: ``StartupError`` that names the file.
    static func write(_ authority: CertificateAuthority, in directory: String) throws(StartupError) {
        do {
            try Data(authority.rootDER()).write(to: URL(fileURLWithPath: "\(directory)/root.cer"), options: .atomic)
            try Data(authority.rootPEM().utf8).write(
                to: URL(fileURLWithPath: "\(directory)/root.pem"), options: .atomic)
            // The one thing in the directory that is meant for everybody.
            for name in ["root.cer", "root.pem"] {
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o644], ofItemAtPath: "\(directory)/\(name)")
            }
        } catch {
            throw StartupError(.badConfiguration, "\(directory)/root.cer cannot be written: \(error)")
        }
    }
}

extension Gateway {
    /// Makes the store's certificates, the first time, and says where their root is.
    /// - Throws: ``StartupError``.
    func publishRoot(in directory: String) async throws(StartupError) {
        let authority: CertificateAuthority
        do {
            authority = try await signing.authority()
        } catch {
            throw StartupError(.badConfiguration, "the store's certificates cannot be read or made: \(error)")
        }
        try RootCertificateFile.write(authority, in: directory)
    }
}
