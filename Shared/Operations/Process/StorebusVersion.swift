/// The release this source tree is.
package enum StorebusVersion {
    /// As `--version`, `$SRV.PING` and the broker's `hello` say it.
    package static let text = "0.1.0"
}
