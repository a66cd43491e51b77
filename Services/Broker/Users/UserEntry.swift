import BusProtocol

/// One entry of a users file, as written there.
struct UserEntry: Decodable {
    enum Key: String, CodingKey, CaseIterable { case name, token, tokenFile, permissions }

    var name: String
    var token: String?
    var tokenFile: String?
    var rules: PermissionRules

    init(from decoder: any Decoder) throws {
        let members = try decoder.strictMembers(Key.self)
        name = try members.decode(String.self, forKey: .name)
        guard BrokerUser.isName(name) else {
            throw UsersFileFault(
                members.codingPath + [Key.name], "must be 1 to 64 letters, digits, '-' and '_'")
        }
        token = try members.ifThere(String.self, .token)
        tokenFile = try members.ifThere(String.self, .tokenFile)
        rules = try members.ifThere(PermissionRules.self, .permissions) ?? PermissionRules()
    }

    /// Returns the token, from the entry or from its file.
    func secret(_ location: [any CodingKey], _ resolve: (String) -> String) throws(UsersFileFault) -> String {
        switch (token, tokenFile) {
        case (let token?, nil):
            if !token.isEmpty { return token }
            throw UsersFileFault(location + [Key.token], "is empty; put a long random text there")
        case (nil, let file?):
            do throws(BrokerStartError) {
                return try BrokerConfiguration.token(inFile: resolve(file))
            } catch {
                throw UsersFileFault(location + [Key.tokenFile], error.description)
            }
        case (nil, nil): throw UsersFileFault(location, "needs 'token' or 'tokenFile'")
        case (_?, _?): throw UsersFileFault(location, "has 'token' and 'tokenFile'; keep one of them")
        }
    }
}
