import Glibc

/// A file that comes in parts: what is there so far stands in `FILE.part`, and `FILE.part.tag` says what it is a part of.
/// It takes its name when it is whole, so that nobody takes a half for the whole.
struct PartialFile: Hashable, Sendable {
    /// Of the whole file; absolute.
    let path: String

    init(_ path: String) { self.path = path }

    var part: String { "\(path).part" }
    var tagFile: String { "\(part).tag" }

    /// How much is there already, and of what; nil when there is nothing to go on from.
    var kept: (length: Int64, tag: String)? {
        var information = stat()
        guard stat(part, &information) == 0, information.st_size > 0, let tag = FileAccess.text(tagFile), !tag.isEmpty
        else { return nil }
        return (Int64(information.st_size), tag)
    }

    /// Opens the part for more.
    /// - Parameters:
    ///   - offset: what stands behind it is dropped; 0 begins anew.
    ///   - tag: what the bytes to come are a part of; an empty one means that a later run cannot go on from them.
    func open(at offset: Int64, tag: String) throws(CLIError) -> Writer {
        if offset == 0 {
            unlink(tagFile)
            if !tag.isEmpty { try FileAccess.write(Array("\(tag)\n".utf8), to: tagFile, mode: 0o600) }
        }
        let descriptor = Glibc.open(part, O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0, ftruncate(descriptor, off_t(offset)) == 0,
            lseek(descriptor, off_t(offset), SEEK_SET) >= 0
        else {
            let error = unwritable
            if descriptor >= 0 { close(descriptor) }
            throw error
        }
        return Writer(file: self, descriptor: descriptor)
    }

    /// The part is the whole.
    func complete() throws(CLIError) {
        guard rename(part, path) == 0 else { throw unwritable }
        unlink(tagFile)
    }

    func discard() {
        unlink(part)
        unlink(tagFile)
    }

    private var unwritable: CLIError {
        CLIError(
            .fileUnreadable, "cannot write \(part): \(FileAccess.systemReason)", hints: ["name another file: --to FILE"]
        )
    }

    /// Appends to the part for as long as it lives.
    final class Writer: Sendable {
        private let file: PartialFile
        private let descriptor: Int32

        fileprivate init(file: PartialFile, descriptor: Int32) {
            self.file = file
            self.descriptor = descriptor
        }

        deinit { close(descriptor) }

        func append(_ bytes: [UInt8]) throws(CLIError) {
            guard FileAccess.writeAll(bytes, to: descriptor) else { throw file.unwritable }
        }
    }
}
