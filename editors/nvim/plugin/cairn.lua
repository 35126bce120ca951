-- The commands; what they need is loaded when one is used first.

if vim.g.loaded_cairn then
  return
end
vim.g.loaded_cairn = true

for name, does in pairs({
  CairnSearch = { "search", "*", "Cairn: search the project as one types" },
  CairnSymbols = { "symbols", "*", "Cairn: every name of the project as one types" },
  CairnImpact = { "impact", "?", "Cairn: what a change of a name may break" },
  CairnMap = { "map", "?", "Cairn: a map of the project" },
  CairnStatus = { "status", 0, "Cairn: the state of the index" },
  CairnIndex = { "index", 0, "Cairn: index the project, or bring it up to date" },
}) do
  vim.api.nvim_create_user_command(name, function(given)
    require("cairn.commands")[does[1]](given.args)
  end, { nargs = does[2], desc = does[3] })
end
