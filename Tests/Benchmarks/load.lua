-- Requests of the benchmarks for wrk: TOKENS and IDS are files with one entry a line, RUN a text that makes keys unique,
-- SCENARIO one of
--   products     GET 10 of the products
--   store-page   GET the store page
--   unfinished   GET the queue
--   buy          a purchase with a fresh key; customer i buys product i
--   buy-finish   purchases and finishes in turn, each a request
--   trial, offer purchases of subscriptions that begin with an offer: each customer buys the first product, then each the
--                second, and so on, because an offer is used once; the first USED of them were made before
-- PAUSE: milliseconds a connection waits before its next request, for less than full load.
local scenario, run, pause = os.getenv("SCENARIO"), os.getenv("RUN"), tonumber(os.getenv("PAUSE") or "0")
local gets, auth, bodies, owner, count = {}, {}, {}, {}, 0
local is_offer, used = scenario == "trial" or scenario == "offer", tonumber(os.getenv("USED") or "0")
local bought, first, last = {}, 1, 0

local function lines(name)
    local list = {}
    for line in io.lines(os.getenv(name)) do list[#list + 1] = line end
    return list
end

function init()
    local ids = lines("IDS")
    for i, id in ipairs(ids) do bodies[i] = '{"productIdentifier":"' .. id .. '","quantity":1}' end
    for i, token in ipairs(lines("TOKENS")) do
        auth[i] = "Bearer " .. token
        if not is_offer then owner[ids[i]] = auth[i] end
        local path = "/v1/transactions"
        if scenario == "products" then
            local ten = {}
            for j = 1, 10 do ten[j] = ids[(i * 10 + j) % #ids + 1] end
            path = "/v1/products?ids=" .. table.concat(ten, ",")
        elseif scenario == "store-page" then
            path = "/v1/store-page"
        end
        gets[i] = wrk.format("GET", path, { ["Authorization"] = auth[i] })
    end
    if scenario ~= "buy-finish" then response = nil end
    if pause == 0 then delay = nil end
end

function delay() return pause end

function request()
    count = count + 1
    local customer = count % #auth + 1
    local product = customer
    if is_offer then
        customer, product = (used + count - 1) % #auth + 1, math.floor((used + count - 1) / #auth) + 1
        -- All offers are used: a request that fails.
        if product > #bodies then return wrk.format("GET", "/v1/offers-are-used") end
    end
    if scenario == "products" or scenario == "unfinished" or scenario == "store-page" then return gets[customer] end
    if scenario == "buy-finish" and first <= last then
        local next = bought[first]
        bought[first], first = nil, first + 1
        return wrk.format("POST", "/v1/transactions/" .. next[1] .. "/finish", { ["Authorization"] = next[2] })
    end
    local headers = {
        ["Authorization"] = auth[customer], ["Content-Type"] = "application/json",
        ["Idempotency-Key"] = run .. "-" .. count,
    }
    return wrk.format("POST", "/v1/payments", headers, bodies[product])
end

-- Whose a transaction is says its product: each customer buys another one. A peer may know it by its second name only.
function response(status, headers, body)
    if status ~= 201 then return end
    local name = os.getenv("FINISH_BY") or "id"
    local id, product = body:match('"' .. name .. '" ?: ?"([^"]+)"'), body:match('"productIdentifier" ?: ?"([^"]+)"')
    if id and owner[product] then
        last = last + 1
        bought[last] = { id, owner[product] }
    end
end

function done(summary, latency)
    local errors = summary.errors
    io.write(string.format('RESULT {"requests":%d,"us":%d,"p50us":%d,"p99us":%d,"bad":%d}\n', summary.requests,
        summary.duration, latency:percentile(50), latency:percentile(99),
        errors.status + errors.connect + errors.read + errors.write + errors.timeout))
end
