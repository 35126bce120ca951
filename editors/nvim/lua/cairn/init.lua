-- Cairn in Neovim: starts `cairn lsp` with Neovim's own client. Everything works from 0.7 on; |cairn.txt| explains.

local M = {}

M.options = {
  cmd = { "cairn", "lsp" },
  root_markers = { ".cairn.toml", ".git" },
  features = "default",
  languages = {},
  index = "ask",
  sync = true,
  limit = 50,
}

local waiting = {} -- by client: what to do once it has answered the first request

local function clients()
  local found = (vim.lsp.get_clients or vim.lsp.get_active_clients)()
  return vim.tbl_filter(function(client)
    return client.name == "cairn"
  end, found)
end

local function root_of(path)
  local folder = vim.fn.isdirectory(path) == 1 and path or vim.fn.fnamemodify(path, ":h")
  while true do
    for _, marker in ipairs(M.options.root_markers) do
      if vim.loop.fs_stat(folder .. "/" .. marker) then
        return folder
      end
    end
    local above = vim.fn.fnamemodify(folder, ":h")
    if above == folder then
      return nil
    end
    folder = above
  end
end

-- What Neovim's client is given; lsp/cairn.lua hands it to `vim.lsp.enable`.
function M.config()
  local settings = {}
  for _, name in ipairs({ "features", "languages", "index", "sync" }) do
    settings[name] = M.options[name]
  end
  return {
    name = "cairn",
    cmd = M.options.cmd,
    root_markers = M.options.root_markers,
    workspace_required = true,
    init_options = settings,
    settings = { cairn = settings },
    handlers = {
      ["cairn/changed"] = function(_, change)
        vim.g.cairn_snapshot = change.snapshot
        vim.cmd("silent doautocmd <nomodeline> User CairnChanged")
      end,
    },
    on_init = function(client)
      for _, act in ipairs(waiting[client.id] or {}) do
        vim.schedule(function()
          act(client)
        end)
      end
      waiting[client.id] = nil
    end,
  }
end

local function start(root)
  for _, client in ipairs(clients()) do
    if client.config.root_dir == root then
      return client.id
    end
  end
  local uri = vim.uri_from_fname(root)
  return vim.lsp.start_client(vim.tbl_extend("force", M.config(), {
    root_dir = root,
    workspace_folders = { { uri = uri, name = vim.fn.fnamemodify(root, ":t") } },
  }))
end

-- Let the server of a buffer's project know of it; buffers that are no files, or of no project, are left alone.
function M.attach(buffer)
  local path = vim.api.nvim_buf_get_name(buffer)
  if vim.bo[buffer].buftype ~= "" or path == "" or path:match("^%a[%w+.-]+://") then
    return
  end
  local root = root_of(path)
  if not root then
    return
  elseif vim.lsp.start then
    vim.lsp.start(vim.tbl_extend("force", M.config(), { root_dir = root }), { bufnr = buffer })
  else
    local client = start(root)
    if client then
      vim.lsp.buf_attach_client(buffer, client)
    end
  end
end

-- Call with the client of the buffer's project once it is ready; without one there is a message.
function M.with_client(act)
  local path = vim.api.nvim_buf_get_name(0)
  local root = root_of(path ~= "" and path or vim.fn.getcwd()) or root_of(vim.fn.getcwd())
  local client
  for _, each in ipairs(clients()) do
    if not root or each.config.root_dir == root then
      client = each
    end
  end
  if not client and root then
    client = vim.lsp.get_client_by_id(start(root) or -1)
  end
  if not client then
    vim.notify("Cairn: no project here, and `" .. M.options.cmd[1] .. "` is not running", vim.log.levels.ERROR)
  elseif client.initialized then
    act(client)
  else
    waiting[client.id] = waiting[client.id] or {}
    table.insert(waiting[client.id], act)
  end
end

-- Ask the server; what comes back is the function that takes the question back.
function M.ask(client, method, params, answered)
  local methods = vim.fn.has("nvim-0.11") == 1 -- since then a client's functions take it as their first argument
  local function handler(err, result)
    if err and err.code ~= -32800 then -- taken back by us
      vim.notify("Cairn: " .. err.message, vim.log.levels.WARN)
    elseif not err and result == nil and vim.startswith(method, "cairn/") then
      vim.notify("Cairn: no answer; the log says why: " .. vim.lsp.get_log_path(), vim.log.levels.WARN)
    elseif not err then
      answered(result)
    end
  end
  local sent, id
  if methods then
    sent, id = client:request(method, params, handler, vim.api.nvim_get_current_buf())
  else
    sent, id = client.request(method, params, handler, vim.api.nvim_get_current_buf())
  end
  return function()
    if sent and id then
      if methods then
        client:cancel_request(id)
      else
        client.cancel_request(id)
      end
    end
  end
end

function M.setup(options)
  M.options = vim.tbl_extend("force", M.options, options or {})
  local group = vim.api.nvim_create_augroup("cairn", { clear = true })
  vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile" }, {
    group = group,
    callback = function(event)
      M.attach(event.buf)
    end,
  })
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) then
      M.attach(buffer)
    end
  end
end

return M
