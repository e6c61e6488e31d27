"""The best there is: linear programs over all private mechanisms, and who attains their value."""
