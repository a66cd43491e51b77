import EventLoop
import Glibc

/// A file to upload, read in pieces on demand.
struct UploadFile: Sendable {
    let path: String
    /// Length in bytes when it was opened. A later change of size fails the upload.
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

    /// Reads the file as it is sent.
    final class Reader: Sendable {
        private let upload: UploadFile
        private let file: OpenFile
        private let state = Locked<(offset: Int64, failure: CLIError?)>((0, nil))

        init(_ upload: UploadFile) throws(CLIError) {
            self.upload = upload
            file = try OpenFile(upload.path)
        }

        /// The reason why it could not be read.
        var failure: CLIError? { state.withLock { $0.failure } }

        /// Fills a buffer.
        /// - Returns: The number of bytes, 0 at the end, or nil for a failure.
        func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
            state.withLock { state in
                do throws(CLIError) {
                    let count = try file.read(at: state.offset, into: buffer)
                    state.offset += Int64(count)
                    let isWhole = state.offset == upload.length
                    let hasChanged =
                        try isWhole ? file.length() != upload.length : count == 0 || state.offset > upload.length
                    if hasChanged {
                        throw CLIError(
                            .fileUnreadable, "\(upload.path) changed while it was sent",
                            hints: ["upload it again when it is complete"])
                    }
                    upload.onRead(state.offset)
                    return count
                } catch {
                    state.failure = error
                    return nil
                }
            }
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
            throw CLIError(.fileUnreadable, "\(path) is not a regular file", hints: ["name a regular file"])
        }
        return Int64(information.st_size)
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(CLIError) -> Int {
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count >= 0 { return count }
            guard errno == EINTR else {
                throw CLIError(.fileUnreadable, "cannot read \(path): \(FileAccess.systemReason)")
            }
        }
    }
}
