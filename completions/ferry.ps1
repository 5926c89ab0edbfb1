# PowerShell completion for ferry: add to $PROFILE: ferry completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName ferry, git-ferry -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.StartOffset -lt $cursorPosition } | ForEach-Object { "$_" })
  $next = if ($wordToComplete -eq '') { @('--next') } else { @() }
  ferry complete @next '--' @words 2>$null | ForEach-Object {
    $value, $description = $_ -split "`t", 2
    if (-not $description) { $description = $value }
    # What a service says must stay one word, and nothing that PowerShell would run.
    # To it, typographic quotes are quotes, too.
    $text = if ($value -match '[^\w./:=+%-]') { "'" + ($value -replace "['\u2018-\u201b]", '$0$0') + "'" } else { $value }
    [System.Management.Automation.CompletionResult]::new($text, $value, 'ParameterValue', $description)
  }
}
