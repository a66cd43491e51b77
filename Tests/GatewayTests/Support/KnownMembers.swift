import StoreModels

/// The members a request body may have: those a refusal names for an unknown member beside a valid body.
func known<Value: Decodable>(_ type: Value.Type, _ body: String = "{}") -> Set<String> {
    let separator = body == "{}" ? "" : ","
    do {
        _ = try StoreJSON.decodeStrictly(type, from: Array("{\"?\":1\(separator)\(body.dropFirst())".utf8))
        return []
    } catch {
        let names = error.message.split(separator: "; known are ").dropFirst().first ?? ""
        return Set(names.split(separator: ", ").map(String.init))
    }
}
