-- A finder in floating windows: one line to type in, the results as one types, and a preview of the chosen one.
-- Each change of the line takes the question before it back, so that an old answer is never shown under new words.

local cairn = require("cairn")

local M = {}
local marks = vim.api.nvim_create_namespace("cairn")
local PREVIEW_LINES = 10000 -- of a longer file the preview shows this many around the place

local function scratch()
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = "wipe"
  return buffer
end

local function window(buffer, place, enter)
  local given = { relative = "editor", style = "minimal", border = "single" }
  return vim.api.nvim_open_win(buffer, enter, vim.tbl_extend("force", given, place))
end

-- Where the three windows stand; a narrow screen has the preview below the list.
local function layout()
  local width, height = vim.o.columns - 4, vim.o.lines - vim.o.cmdheight - 4
  local wide = width >= 100
  local list_width = wide and math.floor(width * 0.45) or width
  local list_height = wide and height - 3 or math.floor((height - 5) / 2)
  return {
    prompt = { row = 0, col = 1, width = list_width, height = 1 },
    list = { row = 3, col = 1, width = list_width, height = list_height },
    preview = wide and { row = 0, col = list_width + 3, width = width - list_width - 2, height = height }
      or { row = list_height + 5, col = 1, width = width, height = math.max(height - list_height - 5, 1) },
  }
end

local function write(buffer, lines)
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
end

-- The lines of a file as one would see them: those of its buffer where it has one, with what is not saved.
local function lines_of(uri)
  local path = vim.uri_to_fname(uri)
  local buffer = vim.fn.bufnr("^" .. vim.fn.escape(path, "\\*?[]{},") .. "$")
  if buffer > 0 and vim.api.nvim_buf_is_loaded(buffer) then
    return vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  end
  return vim.fn.filereadable(path) == 1 and vim.fn.readfile(path) or {}
end

local Picker = {}
Picker.__index = Picker

function Picker:show_preview()
  local item = self.items[self.at]
  if not item then
    write(self.preview.buffer, {})
    return
  end
  local range = item.location.range
  local ok, lines = pcall(lines_of, item.location.uri)
  local first = math.max(range.start.line - PREVIEW_LINES / 2, 0)
  lines = vim.list_slice(ok and lines or {}, first + 1, first + PREVIEW_LINES)
  for number, line in ipairs(lines) do
    lines[number] = line:gsub("[\n\r]", " ")
  end
  write(self.preview.buffer, lines)
  -- `syntax` alone: a file type would start other plugins and servers on the preview.
  vim.bo[self.preview.buffer].syntax = item.language or ""
  local line = range.start.line - first
  if line < #lines then
    vim.api.nvim_win_set_cursor(self.preview.window, { line + 1, 0 })
    vim.api.nvim_win_call(self.preview.window, function()
      vim.cmd("normal! zz")
    end)
  end
end

function Picker:show(answer)
  self.items = answer.results or {}
  self.at = 1
  local lines, paths = {}, {}
  for number, item in ipairs(self.items) do
    local name = (item.name and item.name ~= "") and item.name or vim.trim(vim.split(item.text or "", "\n")[1])
    local place = string.format("%s:%d", item.path, item.location.range.start.line + 1)
    lines[number] = (name .. "  " .. place):gsub("[\n\r]", " ")
    paths[number] = #lines[number] - #place
  end
  write(self.list.buffer, lines)
  vim.api.nvim_buf_clear_namespace(self.list.buffer, marks, 0, -1)
  for number, column in ipairs(paths) do
    local line = lines[number]
    vim.api.nvim_buf_set_extmark(self.list.buffer, marks, number - 1, column, { end_col = #line, hl_group = "Comment" })
  end
  local said = {}
  for _, note in ipairs(answer.notes or {}) do
    table.insert(said, { { note, "WarningMsg" } })
  end
  if #said > 0 then
    vim.api.nvim_buf_set_extmark(self.list.buffer, marks, math.max(#lines - 1, 0), 0, { virt_lines = said })
  end
  vim.api.nvim_buf_clear_namespace(self.prompt.buffer, marks, 0, -1)
  vim.api.nvim_buf_set_extmark(self.prompt.buffer, marks, 0, 0, {
    virt_text = { { tostring(#self.items), "Comment" } },
    virt_text_pos = "right_align",
  })
  self:move(0)
end

function Picker:move(steps)
  if #self.items > 0 then
    self.at = (self.at - 1 + steps) % #self.items + 1
    vim.api.nvim_win_set_cursor(self.list.window, { self.at, 0 })
  end
  self:show_preview()
end

function Picker:query()
  return vim.api.nvim_buf_get_lines(self.prompt.buffer, 0, 1, false)[1] or ""
end

function Picker:changed()
  local query = vim.trim(self:query())
  if query == self.asked then
    return
  end
  self.asked = query
  self.take_back()
  self.take_back = function() end
  if query == "" then
    self:show({})
    return
  end
  self.take_back = self.source(self.client, query, function(answer)
    -- An answer may be under way while its question is taken back.
    if not self.closed and query == self.asked then
      self.shown = query
      self:show(answer)
    end
  end)
end

function Picker:close()
  if self.closed then
    return
  end
  self.closed = true
  self.take_back()
  vim.cmd("stopinsert")
  for _, part in ipairs({ self.prompt, self.list, self.preview }) do
    pcall(vim.api.nvim_win_close, part.window, true)
  end
  if vim.api.nvim_win_is_valid(self.from) then
    vim.api.nvim_set_current_win(self.from)
  end
end

function M.jump(client, location)
  if vim.lsp.util.show_document then
    vim.lsp.util.show_document(location, client.offset_encoding, { focus = true })
  else
    vim.lsp.util.jump_to_location(location, client.offset_encoding)
  end
end

function Picker:open(how)
  local item = self.items[self.at]
  if not item then
    return
  end
  self:close()
  if how then
    vim.cmd(how)
  end
  M.jump(self.client, item.location)
end

-- All results at once, for |:cnext| and its like.
function Picker:to_quickfix()
  local locations = vim.tbl_map(function(item)
    return item.location
  end, self.items)
  self:close()
  vim.fn.setqflist({}, " ", {
    title = "Cairn: " .. self.asked,
    items = vim.lsp.util.locations_to_items(locations, self.client.offset_encoding),
  })
  vim.cmd("botright copen")
end

function Picker:keys()
  local function on(modes, key, act)
    vim.keymap.set(modes, key, act, { buffer = self.prompt.buffer, nowait = true })
  end
  local function moving(steps)
    return function()
      self:move(steps)
    end
  end
  local function opening(how)
    return function()
      self:open(how)
    end
  end
  for _, key in ipairs({ "<Down>", "<C-n>", "<C-j>" }) do
    on({ "i", "n" }, key, moving(1))
  end
  for _, key in ipairs({ "<Up>", "<C-p>", "<C-k>" }) do
    on({ "i", "n" }, key, moving(-1))
  end
  on({ "i", "n" }, "<CR>", opening(nil))
  on({ "i", "n" }, "<C-x>", opening("split"))
  on({ "i", "n" }, "<C-v>", opening("vsplit"))
  on({ "i", "n" }, "<C-t>", opening("tab split"))
  on({ "i", "n" }, "<C-q>", function()
    self:to_quickfix()
  end)
  for key, scroll in pairs({ ["<C-d>"] = "\4", ["<C-u>"] = "\21" }) do
    on({ "i", "n" }, key, function()
      vim.api.nvim_win_call(self.preview.window, function()
        vim.cmd("normal! " .. scroll)
      end)
    end)
  end
  for _, key in ipairs({ "<Esc>", "<C-c>" }) do
    on({ "i", "n" }, key, function()
      self:close()
    end)
  end
end

-- Open the finder. `source(client, query, answered)` asks and gives the function that takes the question back.
function M.open(client, source, query)
  local places = layout()
  local self = setmetatable({
    client = client,
    source = source,
    items = {},
    at = 1,
    from = vim.api.nvim_get_current_win(),
    take_back = function() end,
  }, Picker)
  for _, part in ipairs({ "preview", "list", "prompt" }) do
    local buffer = scratch()
    self[part] = { buffer = buffer, window = window(buffer, places[part], part == "prompt") }
  end
  vim.bo[self.list.buffer].modifiable = false
  for _, part in ipairs({ self.list, self.preview }) do
    vim.wo[part.window].cursorline = true
    vim.wo[part.window].wrap = false
  end
  self:keys()
  vim.api.nvim_create_autocmd({ "TextChanged", "TextChangedI" }, {
    buffer = self.prompt.buffer,
    callback = function()
      self:changed()
    end,
  })
  vim.api.nvim_create_autocmd("WinLeave", {
    buffer = self.prompt.buffer,
    callback = function()
      vim.schedule(function()
        self:close()
      end)
    end,
  })
  vim.api.nvim_buf_set_lines(self.prompt.buffer, 0, -1, false, { query })
  vim.cmd("startinsert!")
  self:changed()
  M.current = self
  return self
end

function M.search(client, query, answered)
  local params = { query = query, limit = cairn.options.limit, root = vim.uri_from_fname(client.config.root_dir) }
  return cairn.ask(client, "cairn/search", params, answered)
end

function M.symbols(client, query, answered)
  return cairn.ask(client, "workspace/symbol", { query = query }, function(found)
    local root = client.config.root_dir .. "/"
    answered({
      results = vim.tbl_map(function(symbol)
        local path = vim.uri_to_fname(symbol.location.uri)
        local inside = vim.startswith(path, root) and path:sub(#root + 1) or path
        return { location = symbol.location, path = inside, name = symbol.name }
      end, vim.list_slice(found or {}, 1, cairn.options.limit)),
    })
  end)
end

return M
