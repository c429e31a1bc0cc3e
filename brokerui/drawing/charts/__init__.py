"""What every chart shares: figures as pure functions, and the file that draws them."""
