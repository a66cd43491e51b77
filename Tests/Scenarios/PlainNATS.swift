import Foundation
import StoreModels
import StorebusTesting

/// The protocol of NATS in a plain socket, as any tool speaks it: one request, several answers.
enum PlainNATS {
    /// Publishes an empty request and collects its replies. It ends after `answers`, or two seconds without a reply.
    @concurrent
    static func ask(_ subject: String, port: Int, answers: Int) async throws -> [JSONValue] {
        let connection = try connect(port)
        defer { close(connection) }
        let words = "CONNECT {\"verbose\":false,\"headers\":true,\"no_responders\":true}\r\nSUB _INBOX.plain.* 1\r\n"
        try send(connection, words + "PUB \(subject) _INBOX.plain.1 0\r\n\r\n")
        var reader = Reader(connection: connection)
        var found: [JSONValue] = []
        while found.count < answers, let line = reader.line() {
            let parts = line.split(separator: " ")
            switch parts.first {
            case "MSG":
                guard let size = parts.last.flatMap({ Int($0) }), let body = reader.bytes(size) else { return found }
                found.append(try StrictJSON.parse(body))
            case "HMSG":
                // An answer with headers only, `503`: the subject has no subscriber.
                return found
            case "PING": try send(connection, "PONG\r\n")
            case "-ERR": throw StackError("the server says \(line)")
            default: break
            }
        }
        return found
    }

    private static func connect(_ port: Int) throws -> Int32 {
        let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: 2, tv_usec: 0)
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            close(connection)
            throw StackError("no nats-server on port \(port)")
        }
        return connection
    }

    private static func send(_ connection: Int32, _ text: String) throws {
        let bytes = Array(text.utf8)
        guard Glibc.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
            throw StackError("the nats-server does not read")
        }
    }

    /// Lines and stretches of bytes out of a stream.
    private struct Reader {
        let connection: Int32
        private var buffer: [UInt8] = []

        init(connection: Int32) { self.connection = connection }

        /// Without its end; nil when nothing more comes.
        mutating func line() -> String? {
            while true {
                if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = String(decoding: buffer[..<end], as: UTF8.self)
                    buffer.removeSubrange(...end)
                    return line.trimmingCharacters(in: .whitespacesAndNewlines)
                }
                guard fill() else { return nil }
            }
        }

        /// A body and the line end behind it.
        mutating func bytes(_ count: Int) -> [UInt8]? {
            while buffer.count < count + 2 {
                guard fill() else { return nil }
            }
            defer { buffer.removeSubrange(..<(count + 2)) }
            return Array(buffer[..<count])
        }

        private mutating func fill() -> Bool {
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { return false }
            buffer += chunk[..<count]
            return true
        }
    }
}
