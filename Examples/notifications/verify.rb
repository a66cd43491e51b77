require "base64"
require "json"
require "openssl"

def must(holds, what) = holds || abort(what)

parts = JSON.parse($stdin.read)["signedPayload"].split(".")
header, payload = parts[0, 2].map { |part| JSON.parse(Base64.urlsafe_decode64(part)) }
root = OpenSSL::X509::Certificate.new(File.binread("root.cer"))
chain = header.fetch("x5c", []).map { |text| OpenSSL::X509::Certificate.new(Base64.decode64(text)) }
must header["alg"] == "ES256" && chain.length == 3 && chain[2].to_der == root.to_der, "chain"
marks = chain.map { |one| one.extensions.map(&:oid) }
must marks[0].include?("1.2.840.113635.100.6.11.1") && marks[1].include?("1.2.840.113635.100.6.2.1"), "purpose"
store = OpenSSL::X509::Store.new.add_cert(root)
store.time = Time.at(payload["signedDate"] / 1000)
must store.verify(chain[0], [chain[1]]), "chain"
numbers = Base64.urlsafe_decode64(parts[2]).unpack("a32a32").map { |half| OpenSSL::ASN1::Integer(OpenSSL::BN.new(half, 2)) }
must chain[0].public_key.verify("SHA256", OpenSSL::ASN1::Sequence(numbers).to_der, "#{parts[0]}.#{parts[1]}"), "signature"
must (payload["data"] || payload["summary"]).values_at("bundleId", "environment") == [ENV["BUNDLE_ID"], "Sandbox"], "app"
puts payload["notificationType"]
