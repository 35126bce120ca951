-- For `vim.lsp.enable("cairn")`, which Neovim has since 0.11; `vim.lsp.config("cairn", {...})` changes what is here.
return require("cairn").config()
