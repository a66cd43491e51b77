internal import CCurl

/// A URL as libcurl reads it, so that checks judge the same reading that libcurl connects to.
package struct CurlURL {
    /// In lower case.
    package let scheme: String
    /// Without the brackets of an IPv6 address. An IPv4 address is in dotted decimals, however it was written.
    package let host: String
    /// The scheme's, if the text has no port.
    package let port: Int

    /// Reads an absolute URL with a host.
    package init?(_ text: String) {
        guard let url = curl_url() else { return nil }
        defer { curl_url_cleanup(url) }
        guard curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK, let scheme = Self.part(url, CURLUPART_SCHEME),
            let host = Self.part(url, CURLUPART_HOST),
            let port = Self.part(url, CURLUPART_PORT, CURLU_DEFAULT_PORT).flatMap({ Int($0) })
        else { return nil }
        // libcurl takes `http:/a` and `http:///a` for `http://a`.
        let rest = text.utf8.dropFirst(scheme.utf8.count)
        guard rest.starts(with: "://".utf8), rest.dropFirst(3).first != UInt8(ascii: "/") else { return nil }
        self.scheme = scheme
        self.host = host.utf8.first == UInt8(ascii: "[") ? String(host.dropFirst().dropLast()) : host
        self.port = port
    }

    /// Resolves a reference, such as a `Location`, against an absolute URL.
    /// - Returns: Nil for one that libcurl cannot read.
    package static func resolve(_ reference: String, against base: String) -> String? {
        guard let url = curl_url() else { return nil }
        defer { curl_url_cleanup(url) }
        guard curl_url_set(url, CURLUPART_URL, base, 0) == CURLUE_OK,
            curl_url_set(url, CURLUPART_URL, reference, UInt32(CURLU_NON_SUPPORT_SCHEME)) == CURLUE_OK
        else { return nil }
        return part(url, CURLUPART_URL)
    }

    private static func part(_ url: OpaquePointer, _ part: CURLUPart, _ flags: CInt = 0) -> String? {
        var found: UnsafeMutablePointer<CChar>?
        guard curl_url_get(url, part, &found, UInt32(flags)) == CURLUE_OK, let found else { return nil }
        defer { curl_free(found) }
        return String(cString: found)
    }
}
