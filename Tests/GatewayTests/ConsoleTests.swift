import Foundation
import HTTPTypes
import NIOHTTP1
import StorebusTesting
import Testing

@testable import OperatorAPI

/// S17: the console's files, compiled in or from a directory.
@Suite struct ConsoleTests {
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        + "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

    private static var repository: URL {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    }

    private func check(_ headers: HTTPHeaders, _ path: String) {
        #expect(headers["Content-Security-Policy"] == [Self.policy], "\(path)")
        #expect(headers["X-Content-Type-Options"] == ["nosniff"], "\(path)")
        #expect(headers["Referrer-Policy"] == ["no-referrer"], "\(path)")
        #expect(headers["Cache-Control"] == ["no-cache"], "\(path)")
    }

    @Test func `every file has the policy, its type and its tag, and 304 for the tag`() async throws {
        try await GatewayHarness.run { store in
            #expect(ConsoleFiles.embedded[ConsoleFiles.index] != nil)
            for (path, file) in ConsoleFiles.embedded {
                let answer = try await store.send(.GET, "/console/\(path)")
                #expect(answer.status == 200, "\(path)")
                #expect(answer.body == file.bytes, "\(path)")
                check(answer.headers, path)
                let type = answer.headers.first(name: "Content-Type") ?? ""
                #expect(type.hasPrefix("text/") || type == "image/svg+xml", "\(path)")
                let tag = try #require(answer.headers.first(name: "ETag"))
                for candidate in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
                    let again = try await store.send(
                        .GET, "/console/\(path)", headers: [("If-None-Match", candidate)])
                    #expect(again.status == 304, "\(path) for \(candidate)")
                    #expect(again.body.isEmpty)
                    #expect(again.headers["ETag"] == [tag])
                    check(again.headers, path)
                }
                let changed = try await store.send(.GET, "/console/\(path)", headers: [("If-None-Match", "\"other\"")])
                #expect(changed.status == 200)
            }
        }
    }

    @Test func `a browser gets the console at the root, and others the text they always got`() async throws {
        try await GatewayHarness.run { store in
            let page = try await store.send(
                .GET, "/", headers: [("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")])
            #expect(page.status == 200)
            #expect(page.headers.first(name: "Content-Type") == "text/html; charset=utf-8")
            #expect(page.body == ConsoleFiles.embedded[ConsoleFiles.index]?.bytes)
            check(page.headers, "/")
            for accept in ["*/*", "application/json", ""] {
                let text = try await store.send(.GET, "/", headers: [("Accept", accept)])
                #expect(text.headers.first(name: "Content-Type") == "text/plain; charset=utf-8")
                #expect(text.text.contains("/openapi.json"))
                #expect(text.headers.first(name: "Vary") == "Accept")
            }
            #expect(page.headers.first(name: "Vary") == "Accept")
        }
    }

    /// Paths that lead out of the directory, or name nothing in it.
    private static let strangers = [
        "/console/..", "/console/../secret.txt", "/console/..%2Fsecret.txt", "/console/%2E%2E/secret.txt",
        "/console/%2e%2e%2fsecret.txt", "/console/pages/..", "/console/pages/..%2F..%2Fsecret.txt",
        "/console/%2Fetc/passwd", "/console//etc/passwd", "/console/.hidden.txt", "/console/.git/config.txt",
        "/console/pages", "/console/link.txt", "/console/link/secret.txt", "/console/none.js", "/console/",
        "/console/index.html%00.txt", "/console/..%5Csecret.txt", "/console/a/b/c.js", "/console/data.bin",
        "/console/%FF.txt", "/console/\(String(repeating: "a", count: 65)).txt", "/console/index.html/",
    ]

    @Test func `no path leads out of the directory`() async throws {
        let directory = try TemporaryDirectory()
        let console = directory.file("console")
        let manager = FileManager.default
        try manager.createDirectory(atPath: "\(console)/pages", withIntermediateDirectories: true)
        try manager.createDirectory(atPath: "\(console)/.git", withIntermediateDirectories: true)
        for name in [
            "secret.txt", "console/index.html", "console/pages/time.js", "console/.hidden.txt",
            "console/.git/config.txt", "console/data.bin",
        ] {
            try Data(name.utf8).write(to: URL(filePath: directory.file(name)))
        }
        try manager.createSymbolicLink(
            atPath: "\(console)/link.txt", withDestinationPath: directory.file("secret.txt"))
        try manager.createSymbolicLink(atPath: "\(console)/link", withDestinationPath: directory.path)
        try manager.createSymbolicLink(atPath: "\(console)/inside.js", withDestinationPath: "pages/time.js")
        let files = ConsoleFiles(directory: console)
        #expect(files.file("pages/time.js")?.bytes == Array("console/pages/time.js".utf8))
        #expect(files.file("inside.js") != nil, "a link inside the directory is followed")
        for path in Self.strangers {
            let decoded = path.dropFirst("/console/".count).removingPercentEncoding ?? "\u{FF}"
            #expect(files.file(decoded) == nil, "\(path)")
        }
        try await GatewayHarness.run(consoleFiles: files) { store in
            for path in Self.strangers {
                let answer = try await RawConnection.exchange(
                    store, "GET \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                #expect(answer.hasPrefix("HTTP/1.1 404 "), "\(path): \(answer)")
            }
            #expect(try await store.send(.GET, "/console/pages/time.js").status == 200)
        }
    }

    @Test func `a file of the directory is read with each request`() async throws {
        let directory = try TemporaryDirectory()
        let page = URL(filePath: directory.file("index.html"))
        try Data("one".utf8).write(to: page)
        try await GatewayHarness.run(consoleFiles: ConsoleFiles(directory: directory.path)) { store in
            let accept = [("Accept", "text/html")]
            let first = try await store.send(.GET, "/", headers: accept)
            #expect(first.text == "one")
            try Data("two".utf8).write(to: page)
            let second = try await store.send(.GET, "/", headers: accept)
            #expect(second.text == "two")
            #expect(first.headers["ETag"] != second.headers["ETag"])
        }
    }

    @Test func `every file of the folder is compiled in, with its bytes`() throws {
        let folder = Self.repository.appending(path: "Services/Gateway/Console")
        var found: Set<String> = []
        for case let file as URL in try #require(
            FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isDirectoryKey]))
        where try file.resourceValues(forKeys: [.isDirectoryKey]).isDirectory != true {
            let path = String(file.path().dropFirst(folder.path().count).drop { $0 == "/" })
            found.insert(path)
            #expect(ConsoleFiles.embedded[path]?.bytes == Array(try Data(contentsOf: file)), "\(path)")
        }
        #expect(found == Set(ConsoleFiles.embedded.keys), "run scripts/console-files")
    }

    @Test func `the script says what is not listed, and what cannot be served`() throws {
        let directory = try TemporaryDirectory()
        let manager = FileManager.default
        for folder in ["scripts", "Services/Gateway/Console/pages", "Services/Gateway/ConsoleFiles"] {
            try manager.createDirectory(atPath: directory.file(folder), withIntermediateDirectories: true)
        }
        let script = directory.file("scripts/console-files")
        try manager.copyItem(atPath: Self.repository.appending(path: "scripts/console-files").path(), toPath: script)
        func write(_ name: String, _ text: String) throws {
            try Data(text.utf8).write(to: URL(filePath: directory.file("Services/Gateway/Console/\(name)")))
        }
        func run(_ arguments: String...) throws -> (status: Int32, text: String) {
            let process = Process()
            let pipe = Pipe()
            process.executableURL = URL(filePath: script)
            process.arguments = arguments
            process.standardOutput = pipe
            process.standardError = pipe
            try process.run()
            let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return (process.terminationStatus, text)
        }
        #expect(try run().text.contains("index.html: is missing"))
        try write("index.html", "x")
        #expect(try run("--check").status == 1)
        #expect(try run().status == 0)
        #expect(try run("--check").status == 0)
        try write("pages/time.js", "x")
        #expect(try run("--check").text.contains("run scripts/console-files"))
        #expect(try run().status == 0)
        #expect(try run("--check").status == 0)
        for (name, text, reason) in [
            ("photo.exe", "x", "no content type"), ("a b.js", "x", "not a file the gateway can serve"),
            (".profile", "x", "not a file the gateway can serve"), ("empty.js", "", "is empty"),
        ] {
            try write(name, text)
            let (status, said) = try run("--check")
            #expect(status == 1 && said.contains(name) && said.contains(reason), "\(name): \(said)")
            try manager.removeItem(atPath: directory.file("Services/Gateway/Console/\(name)"))
        }
    }
}
