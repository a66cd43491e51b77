-- Requests of the benchmarks for wrk: TOKENS and IDS are files with one entry a line, RUN a text that makes keys unique,
-- SCENARIO one of
--   products     GET 10 of the products
--   store-page   GET the store page
--   unfinished   GET the queue
--   buy          a purchase with a fresh key; customer i buys product i
--   buy-finish   purchases and finishes in turn, each a request
-- PAUSE: milliseconds a connection waits before its next request, for less than full load.
local scenario, run, pause = os.getenv("SCENARIO"), os.getenv("RUN"), tonumber(os.getenv("PAUSE") or "0")
local gets, auth, bodies, owner, count = {}, {}, {}, {}, 0
local bought, first, last = {}, 1, 0

local function lines(name)
    local list = {}
    for line in io.lines(os.getenv(name)) do list[#list + 1] = line end
    return list
end

function init()
    local ids = lines("IDS")
    for i, token in ipairs(lines("TOKENS")) do
        auth[i] = "Bearer " .. token
        bodies[i] = '{"productIdentifier":"' .. ids[i] .. '","quantity":1}'
        owner[ids[i]] = auth[i]
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
    return wrk.format("POST", "/v1/payments", headers, bodies[customer])
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
