import Foundation
import Operations
import Signing

/// Publishes the root certificate next to the database, as `root.cer` (DER, as Apple's) and `root.pem`. The files are
/// written at every start, so that they match the database.
enum RootCertificateFile {
    /// - Throws: ``StartupError`` that names the file.
    static func write(_ authority: CertificateAuthority, in directory: String) throws(StartupError) {
        do {
            try Data(authority.rootDER()).write(to: URL(fileURLWithPath: "\(directory)/root.cer"), options: .atomic)
            try Data(authority.rootPEM().utf8).write(
                to: URL(fileURLWithPath: "\(directory)/root.pem"), options: .atomic)
            // The only files of the directory that every user may read.
            for name in ["root.cer", "root.pem"] {
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o644], ofItemAtPath: "\(directory)/\(name)")
            }
        } catch {
            throw StartupError(.badConfiguration, "\(directory)/root.cer cannot be written: \(error)")
        }
    }
}

extension SigningKeys {
    /// Creates the store's certificates at the first start, and publishes their root.
    /// - Throws: ``StartupError``.
    func publishRoot(in directory: String) async throws(StartupError) {
        let root: CertificateAuthority
        do {
            root = try await authority()
        } catch {
            throw StartupError(.badConfiguration, "the store's certificates cannot be read or made: \(error)")
        }
        try RootCertificateFile.write(root, in: directory)
    }
}
