import Dispatch
import EventLoop
import Glibc
import Logging
import StorebusTesting
import Testing

@testable import Persistence

/// Goal: PostgreSQL's code, in any language, distinguishes an absent server from a permanent refusal.
@Suite struct PostgresAwayTests {
    private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    private func open(_ url: String) async throws -> PostgresDatabase {
        try await PostgresDatabase.open(
            PostgresLocation(url: url), holder: "items", migrations: TemporaryDatabase.schema,
            loop: try TestDatabase.loop, logger: logger)
    }

    @Test func `a server that recovers from a crash is away, and is back when it has recovered`() async throws {
        let server = try await TemporaryPostgres(isRecovering: true)
        let error = await #expect(throws: PersistenceError.self) { try await open(server.url) }
        #expect(error?.code == .unavailable)
        #expect(error?.isRetryable == true)
        #expect(error?.exitCode == 69, "not 78, which a supervisor takes for final")
        #expect(error?.message.contains("57P03") == true, "\(error?.message ?? "")")
        try server.recover()
        var database: PostgresDatabase?
        try await eventually("it has recovered") {
            database = try? await open(server.url)
            return database != nil
        }
        try await database?.insert("after")
        await database?.close()
        try server.stop()
    }

    @Test(arguments: [
        ("57P03", "das Datenbanksystem startet", PersistenceError.Code.unavailable),
        ("57P03", "das Datenbanksystem nimmt noch keine Verbindungen an", .unavailable),
        ("57P01", "breche Verbindung ab aufgrund von Anweisung des Administrators", .unavailable),
        ("53300", "tut mir leid, schon zu viele Verbindungen", .unavailable),
        ("58P01", "konnte Datei »global/pg_filenode.map« nicht öffnen", .unavailable),
        ("XX000", "etwas, das noch niemand gesehen hat", .unavailable),
        ("28P01", "Passwort-Authentifizierung für Benutzer »shop« fehlgeschlagen", .cannotOpen),
        ("28000", "Rolle »shop« existiert nicht", .cannotOpen),
        ("3D000", "Datenbank »store« existiert nicht", .cannotOpen),
        ("42501", "keine Berechtigung für Datenbank »store«", .cannotOpen),
    ])
    func `the code decides in each language of the server`(
        _ state: String, _ message: String, _ code: PersistenceError.Code
    ) async throws {
        let server = try RefusingServer(state: state, message: message)
        defer { server.stop() }
        let error = await #expect(throws: PersistenceError.self) {
            try await open("postgres://shop@127.0.0.1:\(server.port)/store?sslmode=disable&gssencmode=disable")
        }
        #expect(error?.code == code)
        #expect(error?.message.contains("\(state): \(message)") == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("postmaster.c") == false, "the server's source is nobody's remedy")
    }

    @Test func `where libpq speaks there is no code, and the server is away`() {
        let lost = PostgresRefusal(
            "connection to server at \"db\" (10.0.0.1), port 5432 failed: Connection refused\n\tIs …?\n")
        #expect(lost.sqlState == nil)
        #expect(!lost.isFinal)
        #expect(lost.text == "connection to server at \"db\" (10.0.0.1), port 5432 failed: Connection refused")
        let second = PostgresRefusal(
            "to a failed: FATAL:  57P03: away\nLOCATION:  f, a.c:1\nto b failed: FATAL:  28P01: no\n")
        #expect(second.sqlState == "28P01", "the host tried last decides")
    }
}

/// A server that answers each connection with one FATAL and closes.
private struct RefusingServer {
    let port: Int
    private let descriptor: Int32

    init(state: String, message: String) throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 8) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        try #require(isBound)
        self.descriptor = descriptor
        port = Int(in_port_t(bigEndian: address.sin_port))
        let answer = Self.answer(state, message)
        DispatchQueue(label: "refusing").async {
            while case let connection = accept(descriptor, nil, nil), connection >= 0 {
                var startup = [UInt8](repeating: 0, count: 1024)
                _ = recv(connection, &startup, startup.count, 0)
                _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
                shutdown(connection, Int32(SHUT_WR))
                // Until the client has closed too, so that a reset does not overtake the answer.
                while recv(connection, &startup, startup.count, 0) > 0 {}
                close(connection)
            }
            // Closed earlier, its number could be the next server's while this one still accepts.
            close(descriptor)
        }
    }

    func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// An ErrorResponse as a server with `lc_messages = de_DE` sends it.
    private static func answer(_ state: String, _ message: String) -> [UInt8] {
        var body: [UInt8] = []
        let fields = [
            "SFATAL", "VFATAL", "C\(state)", "M\(message)", "Fpostmaster.c", "L2341", "RProcessStartupPacket",
        ]
        for field in fields { body += Array(field.utf8) + [0] }
        body.append(0)
        let length = UInt32(body.count + 4)
        return [UInt8(ascii: "E")] + (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - 8 * $0)) } + body
    }
}
