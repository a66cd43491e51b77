import Dispatch
import Glibc
import StoreModels
import StorebusTesting
import Testing

@testable import Storebus

/// `doctor` and PostgreSQL: whether one listens is asked without being one of its clients.
@Suite struct DatabaseCheckTests {
    /// Listens on a free port, and answers the first connection's eight bytes with `answer`.
    private static func listen(_ answer: [UInt8]) throws -> (port: Int, descriptor: Int32) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && Glibc.listen(descriptor, 1) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        try #require(isBound)
        return (Int(in_port_t(bigEndian: address.sin_port)), descriptor)
    }

    /// One conversation, on a thread of its own, because it blocks.
    private static func serve(_ descriptor: Int32, _ answer: [UInt8]) async -> [UInt8] {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "postgres").async {
                let connection = accept(descriptor, nil, nil)
                var question = [UInt8](repeating: 0, count: 8)
                let count = recv(connection, &question, 8, Int32(MSG_WAITALL))
                _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
                close(connection)
                continuation.resume(returning: Array(question.prefix(max(0, count))))
            }
        }
    }

    private func database(_ url: String, _ variables: [String: String] = [:]) async throws -> [String: JSONValue] {
        let place = try TemporaryDirectory()
        let (_, said) = await Recorder.run(
            ["doctor", "-o", "json"], variables: variables.merging(["DATABASE_URL": url]) { first, _ in first },
            directory: place.path, transport: SilentStore())
        let items = try #require(StrictJSON.parse(Array(said.result.utf8))["data"]?.arrayValue)
        let pairs = items.map { ($0["check"]?.stringValue ?? "", $0) }
        return Dictionary(pairs) { first, _ in first }
    }

    @Test(arguments: [(UInt8(ascii: "N"), "pass"), (UInt8(ascii: "S"), "pass"), (UInt8(ascii: "H"), "fail")])
    func `what answers as a PostgreSQL does is one`(answer: UInt8, status: String) async throws {
        let (port, descriptor) = try Self.listen([answer])
        defer { close(descriptor) }
        async let served = Self.serve(descriptor, [answer])
        let found = try await database("postgres://u:secret@127.0.0.1:\(port)/store")
        #expect(found["database"]?["status"]?.stringValue == status)
        #expect(found["database"]?["message"]?.stringValue?.contains("u@127.0.0.1:\(port)/store") == true)
        // SSLRequest, as its documentation has it.
        #expect(await served == [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f])
    }

    @Test func `an absent server is reported with the reason and the remedy, the password never`() async throws {
        let (port, descriptor) = try Self.listen([])
        close(descriptor)
        let found = try await database("postgres://u:secret@127.0.0.1:\(port)/store")
        let finding = try #require(found["database"])
        #expect(finding["status"] == "fail")
        #expect(finding["message"]?.stringValue?.contains("Connection refused") == true)
        #expect(finding["remedy"]?.stringValue?.contains("DATABASE_URL") == true)
        #expect(!JSONText.line(.object(found)).contains("secret"))
        let socket = try await database("postgres:///store?host=/nowhere")
        #expect(socket["database"]?["message"]?.stringValue?.contains("No such file") == true)
    }

    @Test func `a URL that is none and a password file that others may read are named`() async throws {
        #expect(try await database("store.sqlite")["database"]?["status"] == "fail")
        let place = try TemporaryDirectory()
        let file = place.file("password")
        try FileAccess.write(Array("secret".utf8), to: file, mode: 0o644)
        let open = try await database("postgres:///s?host=/nowhere", ["DATABASE_PASSWORD_FILE": file])
        #expect(open["database password"]?["remedy"] == .string("chmod 600 \(file)"))
        let none = try await database("postgres:///s?host=/nowhere", ["DATABASE_PASSWORD_FILE": "/nowhere/p"])
        #expect(none["database password"]?["status"] == "fail")
    }

    @Test func `without DATABASE_URL nothing is asked`() async throws {
        let place = try TemporaryDirectory()
        let (_, said) = await Recorder.run(
            ["doctor", "-o", "names"], directory: place.path, transport: SilentStore())
        #expect(!said.result.contains("database"))
    }
}
