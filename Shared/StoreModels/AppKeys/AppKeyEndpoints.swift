/// AppStoreServer's request subjects about the keys of apps and their servers, `sb.appstore.v1.key.…`.
public enum AppKeyEndpoints {
    /// Makes a key. Its secret is in this reply only.
    /// - Throws: `requestInvalid` (422) at the bound of an app's keys, or `notFound` for a removed isolated store.
    public static let add = Endpoint<AddAppKeyRequest, NewAppKey>(
        .appStoreServer, "key.add", isIdempotent: false, errors: [.notFound])
    /// Lists the keys of an app, or of the account.
    public static let list = Endpoint<AppRequest, AppKeys>(
        .appStoreServer, "key.list", isIdempotent: true, errors: [])
    /// Finds a key of any app and kind. A removed key is not found from the moment at which its removal is confirmed.
    public static let find = Endpoint<FindAppKeyRequest, FoundAppKey>(
        .appStoreServer, "key.find", isIdempotent: true, errors: [])
    /// Removes a key.
    /// - Throws: `notFound` if the app, or the account, has no such key.
    public static let remove = Endpoint<AppKeyRequest, Empty>(
        .appStoreServer, "key.remove", isIdempotent: false, errors: [.notFound])
    /// Removes the keys of an isolated store's app, so that none opens anything any more.
    /// - Throws: `requestInvalid` for an app of the installation.
    public static let removeAll = Endpoint<AppRequest, Empty>(
        .appStoreServer, "key.removeAll", isIdempotent: true, errors: [])
}
