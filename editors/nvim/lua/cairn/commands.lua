-- What the commands do; plugin/cairn.lua declares them.

local cairn = require("cairn")

local M = {}

local function root(client)
  return vim.uri_from_fname(client.config.root_dir)
end

local function told(notes)
  for _, note in ipairs(notes or {}) do
    vim.notify("Cairn: " .. note)
  end
end

local function given(value)
  return value ~= nil and value ~= vim.NIL
end

local function pick(source, words)
  cairn.with_client(function(client)
    local picker = require("cairn.picker")
    picker.open(client, picker[source], words)
  end)
end

function M.search(words)
  pick("search", words)
end

function M.symbols(words)
  pick("symbols", words)
end

-- What a change of a name may break, nearest first, in the quickfix list; without a name, of what is under the cursor.
function M.impact(name)
  cairn.with_client(function(client)
    local params = { name = name, root = root(client) }
    if name == "" then
      params = vim.lsp.util.make_position_params(0, client.offset_encoding)
    end
    cairn.ask(client, "cairn/impact", params, function(answer)
      local items = {}
      for _, each in ipairs(answer.items) do
        local item = vim.lsp.util.locations_to_items({ each.location }, client.offset_encoding)[1]
        if item then
          item.text = string.format("%d %s%s: %s", each.distance, each.certainty, each.isTest and " test" or "", each.name)
          table.insert(items, item)
        end
      end
      vim.fn.setqflist({}, " ", { title = "Cairn: what a change may break", items = items })
      told(answer.notes)
      if #items == 0 then
        vim.notify("Cairn: nothing is known to depend on it")
      else
        vim.cmd("botright copen")
      end
    end)
  end)
end

function M.map(budget)
  cairn.with_client(function(client)
    cairn.ask(client, "cairn/map", { root = root(client), budget = tonumber(budget) }, function(answer)
      vim.cmd("botright new")
      vim.bo.buftype, vim.bo.bufhidden, vim.bo.swapfile = "nofile", "wipe", false
      vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(answer.text, "\n"))
      vim.bo.modifiable = false
      told(answer.notes)
    end)
  end)
end

function M.status()
  cairn.with_client(function(client)
    cairn.ask(client, "cairn/status", { root = root(client) }, function(answer)
      local parts = { string.format("Cairn: %s is %s", answer.name or answer.root, answer.state) }
      if given(answer.files) then
        table.insert(parts, string.format("%d files", answer.files))
      end
      if given(answer.snapshot) then
        local age = given(answer.age) and string.format(", %d s old", answer.age) or ""
        table.insert(parts, "snapshot " .. answer.snapshot .. age)
      end
      if given(answer.page) then
        table.insert(parts, "page " .. answer.page)
      end
      vim.notify(table.concat(parts, ", "))
      told(answer.notes)
    end)
  end)
end

function M.index()
  cairn.with_client(function(client)
    local params = { command = "cairn.index", arguments = { root(client) } }
    vim.notify("Cairn: indexing " .. client.config.root_dir)
    cairn.ask(client, "workspace/executeCommand", params, function()
      vim.notify("Cairn: indexed " .. client.config.root_dir)
    end)
  end)
end

return M
