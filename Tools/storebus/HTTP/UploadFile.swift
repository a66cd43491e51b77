import Glibc

/// A file to upload, read in pieces on demand.
struct UploadFile: AsyncSequence, Sendable {
    typealias Element = [UInt8]

    let path: String
    /// Length in bytes when it was opened; a later change of size fails the upload.
    let length: Int64
    /// Receives the number of bytes read so far.
    private let onRead: @Sendable (Int64) -> Void

    /// - Throws: `fileNotFound`, `fileUnreadable`, or `badInput` for more than `lengthMax`.
    init(
        _ path: String, lengthMax: Int64, onRead: @escaping @Sendable (Int64) -> Void = { _ in }
    ) throws(CLIError) {
        let file = try OpenFile(path)
        let length = try file.length()
        guard length <= lengthMax else {
            throw CLIError(
                .fileUnreadable, "\(path) has \(Format.size(length)); at most \(Format.size(lengthMax)) are taken",
                hints: ["content of that size is refused"], status: .badInput)
        }
        self.path = path
        self.length = length
        self.onRead = onRead
    }

    func makeAsyncIterator() -> Iterator { Iterator(path: path, onRead: onRead) }

    struct Iterator: AsyncIteratorProtocol {
        let path: String
        let onRead: @Sendable (Int64) -> Void
        private var file: OpenFile?
        private var offset: Int64 = 0

        init(path: String, onRead: @escaping @Sendable (Int64) -> Void) {
            self.path = path
            self.onRead = onRead
        }

        mutating func next() async throws -> [UInt8]? {
            let file = try self.file ?? OpenFile(path)
            self.file = file
            let piece = try file.read(at: offset, count: 256 * 1024)
            guard !piece.isEmpty else { return nil }
            offset += Int64(piece.count)
            onRead(offset)
            return piece
        }
    }
}

/// A regular file, open for reading while the object lives.
private final class OpenFile: Sendable {
    private let path: String
    private let descriptor: Int32

    init(_ path: String) throws(CLIError) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let code: CLIErrorCode = errno == ENOENT ? .fileNotFound : .fileUnreadable
            throw CLIError(code, "cannot read \(path): \(FileAccess.systemReason)", hints: ["check the path"])
        }
    }

    deinit { close(descriptor) }

    func length() throws(CLIError) -> Int64 {
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
            throw CLIError(.fileUnreadable, "\(path) is no regular file", hints: ["name a regular file"])
        }
        return Int64(information.st_size)
    }

    func read(at offset: Int64, count: Int) throws(CLIError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        while true {
            let read = pread(descriptor, &bytes, count, off_t(offset))
            if read >= 0 { return Array(bytes[..<read]) }
            guard errno == EINTR else {
                throw CLIError(.fileUnreadable, "cannot read \(path): \(FileAccess.systemReason)")
            }
        }
    }
}
