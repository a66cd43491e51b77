import Foundation
import Glibc

@testable import StoreKitClient

/// One connection of the fake gateway: reads requests, writes bytes. A thread of its own blocks in it.
final class FakeConnection: Sendable {
    private let descriptor: Int32
    private let isClosed = LockedValue(false)

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Ends it for both sides; calls that block in it return.
    func shut() {
        isClosed.withLock { isClosed in
            if !isClosed { shutdown(descriptor, Int32(SHUT_RDWR)) }
            isClosed = true
        }
    }

    /// - Returns: Whether the other side took it.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// - Returns: Nil when the other side has closed.
    func readRequest() -> FakeRequest? {
        var bytes: [UInt8] = []
        let separator = Array("\r\n\r\n".utf8)
        var end: Int?
        while end == nil {
            guard let more = read() else { return nil }
            bytes += more
            end = bytes.indices.dropLast(3).first { Array(bytes[$0..<$0 + 4]) == separator }
        }
        guard let end, var request = Self.head(bytes[..<end]) else { return nil }
        request.body = Array(bytes[(end + 4)...])
        let length = Int(request.headers["content-length"] ?? "0") ?? 0
        while request.body.count < length {
            guard let more = read() else { return nil }
            request.body += more
        }
        return request
    }

    /// Blocks until the other side closes.
    func waitForClose() { while read() != nil {} }

    private func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    private static func head(_ bytes: ArraySlice<UInt8>) -> FakeRequest? {
        var lines = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\r\n")[...]
        let words = lines.removeFirst().split(separator: " ")
        guard words.count == 3 else { return nil }
        let target = words[1].split(separator: "?", maxSplits: 1)
        guard let path = target.first else { return nil }
        var headers: [String: String] = [:]
        for line in lines {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(
                in: .whitespaces)
        }
        return FakeRequest(
            method: String(words[0]), path: String(path), query: target.count > 1 ? String(target[1]) : "",
            headers: headers, body: [])
    }
}
