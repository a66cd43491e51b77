/// The release of this source tree: all its programs are released together.
package enum StorebusVersion {
    /// The version in `--version`, `$SRV.PING` and the broker's `hello`.
    package static let number = "0.1.0"
}
