import Glibc
import StoreHTTP
import StoreModels

/// Downloads content into a file, over several connections if needed.
struct ContentFetch: Sendable {
    let installation: Installation
    let download: Download
    let file: PartialFile
    /// Timeout without a byte.
    let timeout: Duration

    struct Outcome: Hashable, Sendable {
        /// Length of the whole file in bytes.
        var length: Int64
        /// Offset at which this run resumed, or 0 for a new download.
        var beganAt: Int64
    }

    /// - Parameter tell: Receives the number of bytes so far.
    func run(_ context: CommandContext, _ tell: @escaping @Sendable (Int64) -> Void) async throws(CLIError) -> Outcome {
        var beganAt: Int64?
        var lastByte = ContinuousClock.now
        var backoff = RestartBackoff()
        var there = kept?.length ?? 0
        while true {
            let start = ContinuousClock.now
            do {
                let length = try await transfer(context, began: { beganAt = beganAt ?? $0 }, tell)
                try file.complete()
                return Outcome(length: length, beganAt: beganAt ?? length)
            } catch  where error.retryable || error.status == .temporary {
                let now = kept?.length ?? 0
                if now != there { lastByte = .now }
                there = now
                guard !Task.isCancelled, ContinuousClock.now - lastByte < timeout else { throw givenUp(error) }
                let delay = backoff.next(lived: ContinuousClock.now - start)
                context.narrate("note: \(error.message); going on in \(Format.delay(delay))\n")
                try? await ContinuousClock().sleep(for: delay)
            }
        }
    }

    /// Downloads over one connection.
    /// - Parameter began: Called with the offset of the response, before its first byte.
    /// - Returns: Length of the whole content, which is complete now.
    private func transfer(
        _ context: CommandContext, began: (Int64) -> Void, _ tell: @escaping @Sendable (Int64) -> Void
    ) async throws(CLIError) -> Int64 {
        let kept = kept
        if let kept, kept.length == download.contentLength { return kept.length }
        let stream = try await context.sessions.with(installation) { session throws(CLIError) in
            try await context.api.openContent(
                download.id, from: kept?.length ?? 0, tag: kept?.tag, token: session.token)
        }
        if stream.status == 416 {
            // The part belongs to other content, so the download starts again.
            file.discard()
            throw CLIError(.serverUnreachable, "the content has become another", retryable: true)
        }
        var there = try offset(of: stream, kept: kept?.length ?? 0)
        began(there)
        let writer = try file.open(at: there, tag: stream.headers["etag"] ?? "")
        do {
            for try await piece in stream.bytes {
                try writer.append(piece)
                there += Int64(piece.count)
                tell(there)
            }
        } catch let error as CLIError {
            throw error
        } catch {
            throw broken(there)
        }
        guard there >= download.contentLength else { throw broken(there) }
        guard there == download.contentLength else {
            file.discard()
            throw CLIError(
                .answerInvalid, "received \(there) bytes of a content of \(download.contentLength)",
                hints: ["upload it again: storebus product content put"])
        }
        return there
    }

    /// The part of an earlier connection, if it belongs to this content.
    private var kept: (length: Int64, tag: String)? {
        file.kept.flatMap { $0.length <= download.contentLength ? $0 : nil }
    }

    /// Offset of the response's first byte, from `Content-Range: bytes 100-199/200`, or else 0.
    private func offset(of stream: StoreStream, kept: Int64) throws(CLIError) -> Int64 {
        guard stream.status == 206 else { return 0 }
        let range = stream.headers["content-range"] ?? ""
        let first = range.split(separator: " ").last?.split(separator: "-").first.flatMap { Int64($0) }
        guard first == kept else {
            throw CLIError(
                .answerInvalid, "asked for the bytes from \(kept) on, but '\(range)' came",
                hints: ["compare the versions: storebus status"])
        }
        return kept
    }

    private func broken(_ there: Int64) -> CLIError {
        CLIError(
            .serverUnreachable, "the connection broke after \(there) of \(download.contentLength) bytes",
            retryable: true)
    }

    private func givenUp(_ error: CLIError) -> CLIError {
        guard kept != nil else { return error }
        return error.with(hints: ["the same command goes on where this one stopped"] + error.hints)
    }
}

/// A partly downloaded file: `FILE.part` has the bytes so far, `FILE.part.tag` the entity tag of their content.
/// It is renamed when it is complete.
struct PartialFile: Hashable, Sendable {
    /// Absolute path of the whole file.
    let path: String

    init(_ path: String) { self.path = path }

    var part: String { "\(path).part" }
    var tagFile: String { "\(part).tag" }

    /// The bytes so far and their entity tag. Nil if the download cannot resume.
    var kept: (length: Int64, tag: String)? {
        guard let length = FileAccess.status(part)?.st_size, length > 0, let tag = FileAccess.text(tagFile),
            !tag.isEmpty
        else { return nil }
        return (Int64(length), tag)
    }

    /// Opens the part for appending.
    /// - Parameters:
    ///   - offset: Bytes after it are dropped. 0 starts again.
    ///   - tag: Entity tag of the content. An empty one prevents a later run from resuming.
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

    /// Renames the complete part.
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

    /// Appends to the part while it lives.
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
