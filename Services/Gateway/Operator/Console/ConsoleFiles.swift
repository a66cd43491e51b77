import CConsole
import Cryptography
import EventLoop
import Glibc
import StoreModels

/// The files of the web console. They are compiled into the gateway, and `console.dir` replaces them with a
/// directory's.
package struct ConsoleFiles: Sendable {
    /// A file as a response has it.
    package struct File: Sendable {
        let bytes: [UInt8]
        let contentType: String
        /// The entity tag: the digest of the bytes, in quotes.
        let tag: String

        init?(_ path: String, _ bytes: [UInt8]) {
            guard let type = ConsoleFiles.contentType(of: path) else { return nil }
            self.bytes = bytes
            contentType = type
            tag = "\"\(Hex.text(SHA256.hash(data: bytes).prefix(16)))\""
        }
    }

    /// The first page.
    package static let index = "index.html"
    /// Maximum size of a file in `console.dir`, in bytes.
    static let bytesMax = 4 * 1024 * 1024

    /// The compiled files by path.
    static let embedded: [String: File] = {  // keys: paths of our own files
        var count = 0
        let files = console_files(&count)
        var all: [String: File] = [:]  // keys: paths of our own files
        for file in UnsafeBufferPointer(start: files, count: count) {
            let path = String(cString: file.path)
            all[path] = File(path, Array(UnsafeBufferPointer(start: file.bytes, count: file.size)))
        }
        return all
    }()

    private let directory: String?

    /// Chooses where the files come from.
    /// - Parameter directory: Read with each request. Nil for the compiled files.
    package init(directory: String? = nil) { self.directory = directory }

    /// Finds a file by its path below `/console/`.
    /// - Returns: Nil also for a path that no file of the console can have.
    package func file(_ path: String) -> File? {
        guard Self.isPath(path) else { return nil }
        guard let directory else { return Self.embedded[path] }
        return Self.read(path, in: directory).flatMap { File(path, $0) }
    }

    /// Whether a path has one or two plain names. No name begins with a dot, so none leads out of the directory.
    static func isPath(_ path: String) -> Bool {
        let names = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return names.count <= 2
            && names.allSatisfy { name in
                (1...64).contains(name.count) && name.first != UInt8(ascii: ".") && name.allSatisfy(isPlain)
            }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func contentType(of path: String) -> String? {
        let name = path.split(separator: "/").last ?? ""
        return switch name.split(separator: ".", maxSplits: .max, omittingEmptySubsequences: false).dropFirst().last {
        case "html": "text/html; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "svg": "image/svg+xml"
        // Licences and notes of origin.
        case nil, "txt", "md": "text/plain; charset=utf-8"
        default: nil
        }
    }

    /// Reads a regular file. Symbolic links are followed only inside the directory.
    private static func read(_ path: String, in directory: String) -> [UInt8]? {
        guard let root = resolved(directory), let file = resolved("\(root)/\(path)"),
            file.utf8.starts(with: "\(root)/".utf8)
        else { return nil }
        // A FIFO would otherwise wait for its writer.
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= bytesMax else {
            return nil
        }
        return contents(descriptor, count: Int(status.st_size))
    }

    /// Reads up to `count` bytes of a file, or nil when that fails.
    private static func contents(_ descriptor: Int32, count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var total = 0
        while total < count {
            let taken = bytes.withUnsafeMutableBytes { buffer in
                pread(descriptor, buffer.baseAddress.map { $0 + total }, count - total, off_t(total))
            }
            guard taken >= 0 else { return nil }
            if taken == 0 { break }
            total += taken
        }
        return Array(bytes[..<total])
    }

    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
