import BusService
import Hummingbird
import StoreHTTP
import StoreModels

extension Gateway {
    /// Responds with the variables for programs that verify the store's data and call its API.
    func storeEnvironment(_ call: Call) async throws -> EitherReply<StoreEnvironment, RawBody> {
        let format = try call.query.choice("format", StoreEnvironment.Format.self) ?? .json
        let bundleId = try await onlyApp(call)
        let facts = try await services.call(
            SigningEndpoints.verification, AppRequest(bundleId: bundleId), for: call)
        let environment = StoreEnvironment(
            url: address.current + (call.store.map { IsolatedStoreRoutes.pathPrefix + $0.store } ?? ""),
            bundleId: IsolatedApp(bundleId)?.shownBundleId ?? bundleId, issuerId: facts.issuerId,
            keyId: facts.keyIdentifier, rootCertificate: facts.rootCertificate)
        guard format != .json else { return .first(try Reply(environment)) }
        return .second(Reply(bytes: Array(environment.text(format).utf8), contentType: "text/plain; charset=utf-8"))
    }

    /// Returns the app that `?bundleId=` names, or the only one.
    /// - Throws: `requestInvalid` when there are several, or `notFound` without any.
    private func onlyApp(_ call: Call) async throws -> String {
        if let named = try call.bundleFilter() {
            try await apps.check(named, call)
            return named
        }
        let page = try await services.call(CatalogEndpoints.listApps, PageRequest(in: call.scope, limit: 2), for: call)
        guard let first = page.apps.first else {
            throw StoreError(.notFound, "there is no app; import a catalogue first")
        }
        guard page.apps.count == 1 else {
            throw StoreError.invalid("query bundleId", "is missing: there are several apps")
        }
        return first.bundleId
    }
}

extension StoreEnvironment {
    fileprivate func text(_ format: Format) -> String {
        values.map { name, value in
            switch format {
            case .shell: "export \(name)=\(Self.quoted(value))\n"
            case .json, .dotenv, .github: "\(name)=\(value)\n"
            }
        }.joined()
    }

    /// Makes a word of a POSIX shell, by bytes. The address is the operator's text.
    private static func quoted(_ value: String) -> String {
        let quote = Array("'\\''".utf8)
        let bytes = value.utf8.flatMap { $0 == UInt8(ascii: "'") ? quote : [$0] }
        return "'" + String(decoding: bytes, as: UTF8.self) + "'"
    }
}
