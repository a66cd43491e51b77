import GatewayEdge
import HTTPTypes
import Hummingbird
import StoreHTTP
import StoreModels

/// The routes of the web console: its files, and the operator's session in a browser.
struct ConsoleArea: Area {
    /// The operator's sessions in browsers. Nil without an admin key.
    let console: ConsoleSessions?
    let files: ConsoleFiles

    var routes: [Route] {
        [
            Route(MonitoringRoutes.frontPage) { try frontPage($0) },
            Route(ConsoleRoutes.file) { try file($0, path: $0.name(.file)) },
            Route(ConsoleRoutes.fileInFolder) {
                try file($0, path: "\($0.name(.folder))/\($0.name(.file))")
            },
            Route(ConsoleRoutes.signIn) { try await signIn($0) },
            Route(ConsoleRoutes.session) { try session($0) },
            Route(ConsoleRoutes.signOut) { call in
                .empty(.noContent, headers: [.setCookie: ConsoleCookie.removal(isSecure: call.isSecure)])
            },
            Route(ConsoleRoutes.createTicket) { _ in
                guard let console else { preconditionFailure("a caller is the operator, but there is no admin key") }
                return try Reply(console.issueTicket(), status: .created)
            },
        ]
    }

    /// Responds with the console's first page to browsers, and with a text to others.
    private func frontPage(_ call: Call) throws -> Reply<RawBody> {
        let accepts = call.request.headers[values: .accept].contains { $0.lowercased().contains("text/html") }
        guard accepts else {
            return Reply(
                bytes: Array(Self.frontPageText.utf8), contentType: "text/plain; charset=utf-8",
                headers: [.vary: "Accept"])
        }
        return try file(call, path: ConsoleFiles.index, headers: [.vary: "Accept"])
    }

    private func file(_ call: Call, path: String, headers more: HTTPFields = [:]) throws(StoreError) -> Reply<RawBody> {
        guard let file = files.file(path) else { throw .notFound("file of the console") }
        var headers = ConsoleHeaders.all
        headers.append(contentsOf: more)
        headers[.eTag] = file.tag
        if call.request.headers.hasTag(file.tag) {
            return Reply(status: .notModified, headers: headers, body: .init())
        }
        return Reply(bytes: file.bytes, contentType: file.contentType, headers: headers)
    }

    /// Begins a session. The cookie is the browser's, and the page only learns the CSRF token.
    private func signIn(_ call: Call) async throws -> Reply<ConsoleSession> {
        let proof = try await call.body(of: ConsoleRoutes.signIn).proof()
        guard let console else { throw Authenticator.unauthenticated(Authenticator.missingAdminKey) }
        guard let token = console.begin(proof) else {
            let reason =
                switch proof {
                case .key: Authenticator.wrongAdminKey
                case .ticket: "the ticket has expired or was used; make another one with storebus open"
                }
            throw Authenticator.unauthenticated(reason)
        }
        return try Reply(
            ConsoleSession(csrfToken: console.csrfToken(of: token)),
            headers: [.setCookie: ConsoleCookie.setting(token, isSecure: call.isSecure)])
    }

    private func session(_ call: Call) throws -> ConsoleSession {
        guard let console, let token = console.token(in: call.request.headers) else {
            // It expired since the caller was authenticated.
            throw Authenticator.unauthenticated(Authenticator.endedConsoleSession)
        }
        return ConsoleSession(csrfToken: console.csrfToken(of: token))
    }

    /// The response of `/` to clients other than browsers.
    static let frontPageText = """
        Storebus gateway.

        A self-hosted store in the shape of StoreKit: this is its HTTP side.

          /openapi.json   the description of every path
          /readyz         whether purchases are taken now, and which services are missing
          /healthz        whether this process lives
          /metrics        for Prometheus
          /               in a browser: the console; storebus open opens it

        POST /v1/sessions gives an app its token; the operator's paths begin with /admin/v1.

        """
}

/// The header fields of the console's files (S17).
enum ConsoleHeaders {
    /// Without `unsafe-inline`, other origins, and frames of others.
    static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        + "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

    static let all: HTTPFields = [
        .contentSecurityPolicy: policy, .xContentTypeOptions: "nosniff", .referrerPolicy: "no-referrer",
        .cacheControl: "no-cache",
    ]
}

extension HTTPFields {
    /// Whether `If-None-Match` has this entity tag, or any.
    fileprivate func hasTag(_ tag: String) -> Bool {
        self[values: .ifNoneMatch].flatMap { $0.split(separator: ",") }.contains { candidate in
            let text = candidate.drop { $0 == " " }
            let own = text.hasPrefix("W/") ? text.dropFirst(2) : text
            return own.filter { $0 != " " } == tag || text == "*"
        }
    }
}

extension Call {
    /// A parameter of the path that names a file.
    fileprivate func name(_ parameter: PathParameter) -> String {
        guard let value = parameters[parameter] else {
            preconditionFailure("the route has no {\(parameter.rawValue)}")
        }
        return value
    }
}
